import { StewardError } from "../../contract/errors.ts";
import { type CountingContext, inWords } from "./attempt.ts";
import type { Undo } from "./counters.ts";
import { codeDelaySeconds } from "./throttle-rules.ts";
import { clearCodes, codesEnd } from "./throttle-state.ts";
import { failureDelaySeconds } from "./throttle-writer.ts";

/**
 * Counts wrong codes of an account, from all clients together, because their senders know the password. Two limits
 * hold: ten in a row that fit no time near, and thirty wrong ones within an hour. Both hold even while the clock is not
 * trusted; otherwise a guesser would wait for such a clock. They do not limit recovery codes, an administrator's reset
 * and local root.
 */
export function createCodeLocks(
  { counts, now, writer, changed }: CountingContext,
  keyOf: (name: string) => string,
) {
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
    /** Counts a code before it is judged, no await before `wrongCode`; the result takes it back. Throws `account_locked`. */
    checkCodes: (name: string): Undo => {
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
    /**
     * A code after the right password was wrong and fits no time near. One that fits such a time may be a clock's fault.
     */
    wrongCode: (name: string): void => {
      const account = keyOf(name);
      // A running lock keeps its end.
      if (isLocked(account)) return;
      counts.codes.count(account, now());
      counts.codes.trim(now());
      changed();
      if (isLocked(account)) writer.soon();
      else writer.within(failureDelaySeconds);
    },
    rightCode: (name: string): void => {
      const account = keyOf(name);
      clear((one) => one === account);
    },
    /** The factor of the codes was removed. */
    forgetCodes: (name: string): void => {
      const account = keyOf(name);
      clear((one) => one === account);
      clearCodes(counts, account);
    },
    /**
     * The clock has become trusted, so codes that were wrong by it may now be right. The codes of the hour stay counted.
     */
    clearCodeLocks: (): void => clear(() => true),
  };
}

function locked(seconds: number): StewardError {
  return new StewardError(
    "account_locked",
    `Too many codes were wrong: codes of this account are refused for ${inWords(seconds)}. A recovery code works now, and so does an administrator's reset of the second factor; \`steward user unlock\` on the device ends the lock.`,
    { details: { retryAfterSeconds: seconds } },
  );
}
