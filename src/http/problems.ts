import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import { type ErrorDetails, StewardError } from "../contract/errors.ts";
import type { ProblemClock } from "../contract/types.ts";
import { titleOf } from "../contract/words/en/problems.ts";

/** An error as a client gets it: status, headers and the RFC 9457 document. */
export interface Problem {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Seconds after which a client should repeat a request that got a 503 without a better estimate. */
const defaultRetrySeconds = 5;

/** The facts about the clock that need no sign-in. */
export type DescribeClock = () => ProblemClock;

/** Refusals of a token or a code that a wrong clock may cause. */
const aboutTime: ReadonlySet<ErrorCode> = new Set(["invalid_token", "totp_invalid", "totp_reused"]);

/** Turns anything thrown into a problem; the text of an unexpected error stays in the log. */
export function toProblem(error: unknown, requestId: string, describeClock: DescribeClock): Problem {
  if (error instanceof StewardError)
    return problemOf(error.code, error.message, error.details, requestId, describeClock);
  const detail = "The agent failed unexpectedly. Its log has the cause, under this request id.";
  return problemOf("internal_error", detail, {}, requestId, describeClock);
}

function problemOf(
  code: ErrorCode,
  detail: string,
  details: ErrorDetails,
  requestId: string,
  describeClock: DescribeClock,
): Problem {
  const { status } = errorCodes[code];
  const retryAfter = details.retryAfterSeconds ?? (status === 503 ? defaultRetrySeconds : undefined);
  const headers: Record<string, string> = { "Content-Type": "application/problem+json" };
  if (retryAfter !== undefined) headers["Retry-After"] = String(retryAfter);
  if (details.allow) headers.Allow = details.allow.join(", ");
  if (status === 401) headers["WWW-Authenticate"] = challengeOf(code);
  const clock = details.clock ?? (aboutTime.has(code) ? describeClock() : undefined);
  const document = {
    type: `urn:steward:problem:${code}`,
    title: titleOf(code),
    status,
    detail,
    code,
    request_id: requestId,
    ...(details.reason !== undefined && { reason: details.reason }),
    ...(details.errors && { errors: details.errors }),
    ...(clock && { clock }),
    ...(details.challengeToken !== undefined && { challenge_token: details.challengeToken }),
    ...(details.passkey && { passkey: details.passkey }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  return { status, headers, text: JSON.stringify(document) };
}

/** RFC 6750 §3.1: `error` only if a token was sent and is at fault; RFC 9470 §3: or if it is not recent enough. */
function challengeOf(code: ErrorCode): string {
  if (code === "invalid_token") return 'Bearer error="invalid_token"';
  if (code !== "step_up_required") return "Bearer";
  return `Bearer error="insufficient_user_authentication", error_description="Confirm the password: POST /api/auth/reauth", max_age=300`;
}
