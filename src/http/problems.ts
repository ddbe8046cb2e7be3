import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import { type ErrorDetails, StewardError } from "../errors.ts";

/** What an error looks like to a client: status, headers and the RFC 9457 document. */
export interface Problem {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Seconds after which a 503 without a better estimate is worth another try. */
const defaultRetrySeconds = 5;

/** Turns anything thrown into a problem; what is not a StewardError says nothing of its inside. */
export function toProblem(error: unknown, requestId: string, now: Date): Problem {
  if (error instanceof StewardError)
    return problemOf(error.code, error.message, error.details, requestId, now);
  const detail = "Something went wrong inside the agent. Its log names this request id.";
  return problemOf("internal_error", detail, {}, requestId, now);
}

function problemOf(
  code: ErrorCode,
  detail: string,
  details: ErrorDetails,
  requestId: string,
  now: Date,
): Problem {
  const { status, title } = errorCodes[code];
  const retryAfter = details.retryAfterSeconds ?? (status === 503 ? defaultRetrySeconds : undefined);
  const headers: Record<string, string> = { "Content-Type": "application/problem+json" };
  if (retryAfter !== undefined) headers["Retry-After"] = String(retryAfter);
  if (details.allow) headers.Allow = details.allow.join(", ");
  // RFC 6750 §3.1: `error` only when a token was sent and is at fault.
  if (status === 401)
    headers["WWW-Authenticate"] = code === "invalid_token" ? 'Bearer error="invalid_token"' : "Bearer";
  const document = {
    type: `urn:steward:problem:${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(details.reason !== undefined && { reason: details.reason }),
    ...(details.errors && { errors: details.errors }),
    // Nobody vouches for the clock yet, so whether it is synchronised is not known.
    ...(code === "invalid_token" && { clock: { server_time: now.toISOString(), synchronised: null } }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  };
  return { status, headers, text: JSON.stringify(document) };
}
