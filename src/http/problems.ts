import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import { type ErrorDetails, StewardError } from "../contract/errors.ts";
import type { ProblemClock } from "../contract/types.ts";

/** What an error looks like to a client: status, headers and the RFC 9457 document. */
export interface Problem {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Seconds after which a 503 without a better estimate is worth another try. */
const defaultRetrySeconds = 5;

/** What everybody may know of the device's clock. */
export type DescribeClock = () => ProblemClock;

/** Refusals of a token or a code: a wrong clock may be all that is wrong. */
const aboutTime: ReadonlySet<ErrorCode> = new Set(["invalid_token", "totp_invalid", "totp_reused"]);

/** Turns anything thrown into a problem; what is not a StewardError says nothing of its inside. */
export function toProblem(error: unknown, requestId: string, describeClock: DescribeClock): Problem {
  if (error instanceof StewardError)
    return problemOf(error.code, error.message, error.details, requestId, describeClock);
  const detail = "Something went wrong inside the agent. Its log names this request id.";
  return problemOf("internal_error", detail, {}, requestId, describeClock);
}

function problemOf(
  code: ErrorCode,
  detail: string,
  details: ErrorDetails,
  requestId: string,
  describeClock: DescribeClock,
): Problem {
  const { status, title } = errorCodes[code];
  const retryAfter = details.retryAfterSeconds ?? (status === 503 ? defaultRetrySeconds : undefined);
  const headers: Record<string, string> = { "Content-Type": "application/problem+json" };
  if (retryAfter !== undefined) headers["Retry-After"] = String(retryAfter);
  if (details.allow) headers.Allow = details.allow.join(", ");
  if (status === 401) headers["WWW-Authenticate"] = challengeOf(code);
  const clock = details.clock ?? (aboutTime.has(code) ? describeClock() : undefined);
  const document = {
    type: `urn:steward:problem:${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(details.reason !== undefined && { reason: details.reason }),
    ...(details.errors && { errors: details.errors }),
    ...(clock && { clock }),
    ...(details.challengeToken !== undefined && { challenge_token: details.challengeToken }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  return { status, headers, text: JSON.stringify(document) };
}

/** RFC 6750 §3.1: `error` only when a token was sent and is at fault; RFC 9470 §3: or when it is not recent enough. */
function challengeOf(code: ErrorCode): string {
  if (code === "invalid_token") return 'Bearer error="invalid_token"';
  if (code !== "step_up_required") return "Bearer";
  return `Bearer error="insufficient_user_authentication", error_description="Give the password again: POST /api/auth/reauth", max_age=300`;
}
