import { StewardError } from "../errors.ts";
import { type CountingContext, inWords } from "./attempt.ts";
import { codeDelaySeconds } from "./attempt-rules.ts";
import { failureDelaySeconds } from "./attempt-writer.ts";

/**
 * Wrong codes of an account, from wherever they come: whoever sends one knows the password. Recovery codes, an
 * administrator's reset and local root are not concerned.
 */
export interface CodeLocks {
  /** Ask right before a code is looked at, with no await between this and `wrongCode`. Throws `account_locked`. */
  checkCodes(name: string): void;
  /** A wrong or reused code behind the right password. Not counted while the clock is not trusted. */
  wrongCode(name: string): void;
  rightCode(name: string): void;
  /** The clock has become trusted: what was wrong by it may be right now. */
  clearCodeLocks(): void;
}

export function createCodeLocks(
  { counts, now, writer, changed }: CountingContext,
  keyOf: (name: string) => string,
  isClockTrusted: () => boolean,
): CodeLocks {
  const clear = (isMeant: (account: string) => boolean): void => {
    if (counts.codes.entries(now()).some(([account]) => isMeant(account))) writer.soon();
    counts.codes.clear(isMeant);
    changed();
  };
  const waitOf = (account: string): number => {
    const wrong = isClockTrusted() ? counts.codes.get(account, now()) : undefined;
    return wrong ? Math.max(0, wrong.at + codeDelaySeconds(wrong.failures) - now()) : 0;
  };
  return {
    checkCodes: (name) => {
      const wait = Math.ceil(waitOf(keyOf(name)));
      if (wait > 0) throw locked(wait);
    },
    wrongCode: (name) => {
      const account = keyOf(name);
      // A lock that runs already is not moved.
      if (!isClockTrusted() || waitOf(account) > 0) return;
      counts.codes.count(account, now());
      counts.codes.trim(now());
      changed();
      if (waitOf(account) > 0) writer.soon();
      else writer.within(failureDelaySeconds);
    },
    rightCode: (name) => {
      const account = keyOf(name);
      clear((one) => one === account);
    },
    clearCodeLocks: () => clear(() => true),
  };
}

function locked(seconds: number): StewardError {
  return new StewardError(
    "account_locked",
    `Too many codes in a row were wrong: codes of this account are refused for ${inWords(seconds)}. A recovery code works now, and so does an administrator's reset of the second factor.`,
    { details: { retryAfterSeconds: seconds } },
  );
}
