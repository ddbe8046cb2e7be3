import { type ErrorCode, errorCodes } from "../error-codes.ts";
import { isBudgeted, type Operation } from "../operations/operation.ts";

/** Any request can be answered with these, some of them before its operation is known. */
const codesOfAll = [
  "malformed_request",
  "malformed_path",
  "forbidden",
  "not_acceptable",
  "request_timeout",
  "misdirected_request",
  "headers_too_large",
  "internal_error",
  "shutting_down",
] as const satisfies readonly ErrorCode[];

export function hasPrecondition({ method, precondition, response }: Operation): boolean {
  return precondition === true || (response.etag === true && method !== "GET");
}

function hasCursor({ query }: Operation): boolean {
  const { properties = {} } = (query ?? {}) as { properties?: object };
  return "cursor" in properties;
}

/** Codes that an operation can answer with: its own, and those that follow from its access, input and path. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>([...(operation.errors ?? []), ...codesOfAll]);
  const add = (...more: ErrorCode[]): void => {
    for (const code of more) codes.add(code);
  };
  if (operation.access !== "open") {
    add("authentication_required", "invalid_token", "forbidden");
    add("token_not_allowed");
    if (operation.scope) add("insufficient_scope");
    if (!operation.beforePasswordChange) add("password_change_required");
    if (!operation.beforeEnrolment) add("two_factor_enrolment_required");
  }
  if (operation.stepUp) add("step_up_required");
  if (!operation.beforeSetup) add("setup_required");
  if (!operation.inRescue) add("state_damaged");
  if (operation.pathParameters) add("not_found");
  // Everywhere: an unknown query parameter is refused also where there is neither a query nor a body.
  add("validation_failed", "unknown_field");
  if (hasCursor(operation)) add("invalid_cursor");
  if (operation.response.stream) add("rate_limited");
  if (operation.body) add("malformed_json");
  if (operation.body ?? operation.upload) add("payload_too_large", "unsupported_media_type");
  if (operation.method !== "GET" && operation.access !== "open")
    add("storage_full", "storage_unwritable", "update_busy");
  if (isBudgeted(operation)) add("rate_limited");
  if (hasPrecondition(operation)) add("etag_mismatch");
  return [...codes];
}

type Responses = Record<string, object>;

/** Statuses that ask for an act of the client: change the state first, read again, wait. */
const statusComponents = { 409: "Conflict", 412: "Outdated", 429: "TooMany" } as const;

/** Any change can find an update under way (409) or its budget spent (429): that is said once, at the components. */
const ofChanges: readonly ErrorCode[] = ["update_busy", "rate_limited"];

/**
 * The errors of an operation. `default` covers all of them with one shape: every generator of clients knows it, and
 * some write code for the ranges 4XX and 5XX that does not compile. Statuses of `statusComponents` are given beside it
 * if the operation can answer with them. The descriptions name the operation's own codes; all other codes follow from
 * rules that are the same for all operations. An answer for each status would be a tenth of the document.
 */
export function errorResponsesOf(operation: Operation): Responses {
  const { errors = [], ...bare } = operation;
  const implied = errorCodesOf(bare).filter((code) => !ofChanges.includes(code));
  const streamed: readonly ErrorCode[] = operation.response.stream ? ["rate_limited"] : [];
  const own = [...new Set([...errors, ...streamed])].filter((code) => !implied.includes(code));
  const isOf = (status: string) => (code: ErrorCode) => errorCodes[code].status === Number(status);
  const apart = Object.entries(statusComponents).flatMap(([status, component]) => {
    const codes = own.filter(isOf(status));
    return codes.length > 0 || implied.some(isOf(status))
      ? [[status, problemsOf(component, namesOf(codes))]]
      : [];
  });
  const others = own.filter((code) => !(errorCodes[code].status in statusComponents));
  return { ...Object.fromEntries(apart), default: problemsOf("Problem", withStatuses(others)) };
}

/** A reference to a component, and the codes of the operation's own, which replace its description (OpenAPI 3.1). */
function problemsOf(component: string, description: string): object {
  return { $ref: `#/components/responses/${component}`, ...(description !== "" && { description }) };
}

function namesOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(", ");
}

/** Writes the codes by status: 401 `totp_required`, `totp_invalid`; 503 `hashing_busy`. */
function withStatuses(codes: readonly ErrorCode[]): string {
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].sort(
    (one, other) => one - other,
  );
  return statuses
    .map((status) => `${status} ${namesOf(codes.filter((code) => errorCodes[code].status === status))}`)
    .join("; ");
}

/** The components that errors refer to: the same problem document, with what is special about each. */
export function errorComponents(problem: object): Responses {
  const content = { "application/problem+json": { schema: problem } };
  const headers = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
  const retryAfter = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
  const challenge = { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } };
  return {
    Conflict: {
      description:
        "409: the state does not allow it, or an update is under way (`update_busy`). `code` says which.",
      headers,
      content,
    },
    Outdated: {
      description: "412: If-Match does not fit, the resource has changed (`etag_mismatch`). Read it again.",
      headers,
      content,
    },
    TooMany: {
      description:
        "429: try again after Retry-After. Any change can get it, once its account's budget is spent.",
      headers: {
        ...headers,
        ...retryAfter,
        "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
        RateLimit: { $ref: "#/components/headers/RateLimit" },
      },
      content,
    },
    Problem: {
      description:
        "Any error; `code` says which. 400: malformed, or it does not fit its schema (`errors` says where); 401: sign in, or give the password again (`step_up_required`); 403: role or scope do not allow it; 413, 415: the body is too large or not JSON; 421: the Host header names another device; 500: unexpected; 502, 504: the update server; 503: not now (`setup_required`, `state_damaged`, `shutting_down`); 507: the disk is full or cannot be written.",
      headers: { ...headers, ...challenge, ...retryAfter },
      content,
    },
  };
}
