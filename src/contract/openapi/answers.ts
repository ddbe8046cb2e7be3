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

/** Whether If-Match is honoured. */
export function hasPrecondition({ method, precondition, response }: Operation): boolean {
  return precondition === true || (response.etag === true && method !== "GET");
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
  if (operation.response.stream) add("rate_limited");
  if (operation.body) add("malformed_json", "payload_too_large", "unsupported_media_type");
  if (operation.method !== "GET" && operation.access !== "open")
    add("storage_full", "storage_unwritable", "update_busy");
  if (isBudgeted(operation)) add("rate_limited");
  if (hasPrecondition(operation)) add("etag_mismatch");
  return [...codes];
}

type Responses = Record<string, object>;

/** A reference to a component, and what is special about it here: in OpenAPI 3.1 that replaces its own description. */
const problemsOf = (range: "Refused" | "Failed", description?: string): object => ({
  $ref: `#/components/responses/${range}`,
  ...(description !== undefined && { description }),
});

/**
 * The errors of an operation, by the ranges 4XX and 5XX: those of its own are named with their status; all others follow
 * from rules that are the same for all operations. An answer for each status would be a tenth of the document.
 */
export function errorResponsesOf(operation: Operation): Responses {
  const ranges = { "4XX": "Refused", "5XX": "Failed" } as const;
  const own = [...new Set(operation.errors ?? [])];
  return Object.fromEntries(
    Object.entries(ranges).map(([range, component]) => {
      const codes = own.filter((code) => String(errorCodes[code].status)[0] === range[0]);
      const description = codes.length > 0 ? withStatuses(codes) : undefined;
      return [range, problemsOf(component, description)];
    }),
  );
}

/** As in: 401 `totp_required`, `totp_invalid`; 429 `account_locked`. */
function withStatuses(codes: readonly ErrorCode[]): string {
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\``]);
  }
  const inOrder = [...byStatus].sort(([one], [other]) => one - other);
  return inOrder.map(([status, names]) => `${status} ${names.join(", ")}`).join("; ");
}
/** What the ranges refer to. */
export function errorComponents(problem: object): Responses {
  const content = { "application/problem+json": { schema: problem } };
  const headers = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
  const retryAfter = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
  return {
    Refused: {
      description:
        "The request was refused. 400: it is malformed or does not fit its schema (`errors` says where); 401: sign in, or give the password again (`step_up_required`); 403: role or scope do not allow it; 404; 406; 408; 409; 412: If-Match does not fit (`etag_mismatch`); 413 and 415: the body is too large or not JSON; 421: the Host header names another device; 422; 429; 431. `code` says which.",
      headers: {
        ...headers,
        "WWW-Authenticate": { $ref: "#/components/headers/Challenge" },
        ...retryAfter,
      },
      content,
    },
    Failed: {
      description:
        "The agent could not do it. 500: unexpectedly (`internal_error`); 503: not now (`setup_required`, `state_damaged`, `shutting_down`); 507: the disk is full or cannot be written. `code` says which.",
      headers: { ...headers, ...retryAfter },
      content,
    },
  };
}
