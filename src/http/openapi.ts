import { type ErrorCode, errorCodes } from "../contract/error-codes.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { operationIds, operationOf } from "../contract/operations.ts";
import { problem } from "../contract/shapes.ts";

/** The contract as an OpenAPI 3.1 document. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const id of operationIds) {
    const operation = operationOf(id);
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = describe(id, operation);
    paths[operation.path] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Steward",
      version,
      summary: "The operations agent of a Linux appliance",
      description:
        "Accounts and sign-in, the clock, settings, signed updates, and facts about the agent and its host.",
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "this device" }],
    tags: ["system", "setup", "auth", "users", "tokens", "events", "logs", "updates"].map((name) => ({
      name,
    })),
    paths,
    components: {
      schemas: { Problem: problem },
      securitySchemes: {
        accessToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "the access token of POST /api/auth/login",
        },
        apiToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "stw_…",
          description: "a token of POST /api/tokens, for operations with an x-scope that it has",
        },
      },
    },
  };
}

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
function hasPrecondition({ method, precondition, response }: Operation): boolean {
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
  if (hasPrecondition(operation)) add("etag_mismatch");
  return [...codes];
}

function describe(id: string, operation: Operation): object {
  return {
    operationId: id,
    tags: [operation.path.split("/")[2]?.replace(/^(version|health|openapi\.json)$/, "system")],
    summary: operation.summary,
    security: securityOf(operation),
    ...(operation.scope && { "x-scope": operation.scope }),
    ...(operation.stepUp && { "x-step-up": operation.stepUp }),
    ...parametersOf(operation),
    ...(operation.body && {
      requestBody: {
        required: !operation.bodyOptional,
        content: { "application/json": { schema: operation.body } },
      },
    }),
    responses: { [operation.response.status]: success(operation), ...failures(operation) },
  };
}

function securityOf({ access, scope }: Operation): object[] {
  return [
    ...(access === "open" ? [{}] : []),
    { accessToken: [] },
    ...(scope === undefined ? [] : [{ apiToken: [] }]),
  ];
}

function parametersOf(operation: Operation): object {
  const path = Object.entries(operation.pathParameters ?? {}).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    schema,
  }));
  const members = (operation.query as { properties?: Record<string, object> } | undefined)?.properties ?? {};
  const query = Object.entries(members).map(([name, schema]) => ({ name, in: "query", schema }));
  const ifMatch = {
    name: "If-Match",
    in: "header",
    description: "the ETag of the answer that the change is based on",
    schema: { type: "string" },
  };
  const lastEventId = {
    name: "Last-Event-ID",
    in: "header",
    description: "the id of the last message that was read; the stream goes on after it",
    schema: { type: "string" },
  };
  const refreshBinding = {
    name: "X-Refresh-Binding",
    in: "header",
    description: "`refresh_binding` of the sign-in; a refresh token in a cookie is accepted only with it",
    schema: { type: "string" },
  };
  const parameters = [
    ...path,
    ...query,
    ...(operation.cookie === "read" ? [refreshBinding] : []),
    ...(hasPrecondition(operation) ? [ifMatch] : []),
    ...(operation.response.stream ? [lastEventId] : []),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function success(operation: Operation): object {
  const { status, schema, etag, stream } = operation.response;
  const text = { type: "string" };
  // OpenAPI 3.1 cannot describe the items of a stream.
  const streamed = { "text/event-stream": { schema: text, "x-event-data": schema } };
  return {
    description: status === 204 ? "Done" : operation.summary,
    headers: {
      "X-Request-Id": { schema: text },
      ...(etag && { ETag: { description: "strong entity tag", schema: text } }),
      ...(status === 201 && { Location: { schema: text } }),
    },
    ...(schema && { content: stream ? streamed : { "application/json": { schema } } }),
  };
}

function failures(operation: Operation): Record<string, object> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\``).join(", "),
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]);
  return Object.fromEntries(responses);
}
