import type { ErrorCode } from "../contract/error-codes.ts";
import { StewardError } from "../errors.ts";
import type { Attempts } from "./attempts.ts";
import type { Origin } from "./sessions.ts";

/** What somebody got wrong who was guessing, perhaps. Stale tokens and challenges are no guesses. */
const guesses: ReadonlySet<ErrorCode> = new Set([
  "invalid_credentials",
  "password_wrong",
  "setup_token_invalid",
  "totp_invalid",
  "totp_reused",
  "recovery_code_invalid",
]);

/**
 * Does what takes a secret, counted before it begins, so that tries which arrive together are all counted. A wrong
 * secret counts against its name (null: no account is meant) and source, a right one clears their count, anything else was no try.
 * Throws `too_many_attempts`, and what `work` throws.
 */
export async function counted<R>(
  attempts: Attempts,
  username: string | null,
  { source }: Pick<Origin, "source">,
  work: () => Promise<R>,
): Promise<R> {
  const attempt = attempts.begin(username, source);
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
