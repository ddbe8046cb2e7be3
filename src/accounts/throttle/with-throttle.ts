import type { ErrorCode } from "../../contract/error-codes.ts";
import { StewardError } from "../../contract/errors.ts";
import type { ThrottledClient } from "../request-context.ts";
import type { Attempt, Seal } from "./attempt.ts";
import type { AttemptContext, Throttle } from "./throttle.ts";

/** Errors that a guesser can get, too. A stale token or challenge is not a guess. */
const guesses: ReadonlySet<ErrorCode> = new Set([
  "invalid_credentials",
  "password_wrong",
  "setup_token_invalid",
  "provider_refused",
  "totp_invalid",
  "totp_reused",
  "recovery_code_invalid",
  "passkey_invalid",
]);

/** Answers that strangers can get, too. The others are only for users whose password was right. */
const openAnswers: ReadonlySet<ErrorCode> = new Set([
  "invalid_credentials",
  "setup_token_invalid",
  "hashing_busy",
]);

/** The secret that is tried: that of the account of this name; null: not an account's. */
export interface TriedSecret extends AttemptContext {
  readonly name: string | null;
}

/**
 * Runs work that checks a secret. The attempt is counted first, so that attempts which arrive together are all counted.
 * A wrong secret counts against its name and client, a right one clears their count, and anything else was no attempt.
 * `work` gets the context with the key that it is counted by. Throws `too_many_attempts`, and the errors of `work`.
 */
export async function withThrottle<R, O extends ThrottledClient>(
  throttle: Throttle,
  { name, ...about }: TriedSecret,
  context: O,
  work: (resolved: O) => Promise<R>,
): Promise<R> {
  const resolved = context.keyOfUser ? { ...context, clientKey: await context.keyOfUser() } : context;
  const attempt = throttle.begin(name, resolved.clientKey, about);
  const judge = () => settled(attempt, () => work(resolved));
  return attempt.seal ? behindSeal(throttle, attempt.seal, judge) : judge();
}

/** Answers a right secret at once, and everything else after the same time with the same words. */
async function behindSeal<R>(
  throttle: Throttle,
  { refusal, isLookedAt }: Seal,
  judge: () => Promise<R>,
): Promise<R> {
  const answer = throttle.untilAnswer();
  try {
    if (isLookedAt) return await judge();
  } catch (error) {
    if (!(error instanceof StewardError) || !openAnswers.has(error.code)) throw error;
  }
  await answer;
  throw refusal;
}

async function settled<R>(attempt: Attempt, work: () => Promise<R>): Promise<R> {
  try {
    const result = await work();
    attempt.succeed();
    return result;
  } catch (error) {
    if (error instanceof StewardError && guesses.has(error.code)) attempt.fail();
    else attempt.withdraw();
    throw error;
  }
}
