import { StewardError } from "../../contract/errors.ts";
import { type CountingContext, inWords } from "../throttle/attempt.ts";
import type { Undo } from "../throttle/counters.ts";
import { codeDelaySeconds } from "../throttle/throttle-rules.ts";
import { clearCodes, codesEnd } from "../throttle/throttle-state.ts";
import { failureDelaySeconds } from "../throttle/throttle-writer.ts";

/**
 * Wrong codes of an account, from wherever they come: their senders know the password. Two limits hold: ten in a
 * row that are the code of no time near, and thirty within an hour that were not right. Both hold whatever the clock
 * is worth, or the guesser would only have to wait for a clock that is not trusted. Recovery codes, an administrator's
 * reset and local root are not concerned.
 */
export interface CodeLocks {
  /**
   * Ask right before a code is judged, with no await between this and `wrongCode`: it counts as one of the hour's. The
   * result takes that back, for a right one. Throws `account_locked`.
   */
  checkCodes(name: string): Undo;
  /** A wrong code behind the right password, and of no time near: one that is may be the fault of a clock. */
  wrongCode(name: string): void;
  rightCode(name: string): void;
  /** The factor that the codes were of is gone. */
  forgetCodes(name: string): void;
  /** The clock has become trusted: what was wrong by it may be right now. The codes of the hour stay counted. */
  clearCodeLocks(): void;
}

export function createCodeLocks(
  { counts, now, writer, changed }: CountingContext,
  keyOf: (name: string) => string,
): CodeLocks {
  const { judgedCodes } = counts.passing;
  const clear = (isMeant: (account: string) => boolean): void => {
    if (counts.codes.entries(now()).some(([account]) => isMeant(account))) writer.soon();
    counts.codes.clear(isMeant);
    changed();
  };
  const isLocked = (account: string): boolean => {
    const wrong = counts.codes.get(account, now());
    return wrong !== undefined && wrong.at + codeDelaySeconds(wrong.failures) > now();
  };
  return {
    checkCodes: (name) => {
      const account = keyOf(name);
      const wait = Math.ceil(codesEnd(counts, account, now()) - now());
      if (wait > 0) throw locked(wait);
      const undo = judgedCodes.count(account, now());
      judgedCodes.trim(now());
      changed();
      return () => {
        undo();
        changed();
      };
    },
    wrongCode: (name) => {
      const account = keyOf(name);
      // A lock that runs already is not moved.
      if (isLocked(account)) return;
      counts.codes.count(account, now());
      counts.codes.trim(now());
      changed();
      if (isLocked(account)) writer.soon();
      else writer.within(failureDelaySeconds);
    },
    rightCode: (name) => {
      const account = keyOf(name);
      clear((one) => one === account);
    },
    forgetCodes: (name) => {
      const account = keyOf(name);
      clear((one) => one === account);
      clearCodes(counts, account);
    },
    clearCodeLocks: () => clear(() => true),
  };
}

function locked(seconds: number): StewardError {
  return new StewardError(
    "account_locked",
    `Too many codes were wrong: codes of this account are refused for ${inWords(seconds)}. A recovery code works now, and so does an administrator's reset of the second factor; \`steward user unlock\` on the device ends the lock.`,
    { details: { retryAfterSeconds: seconds } },
  );
}
