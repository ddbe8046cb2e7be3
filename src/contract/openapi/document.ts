import { type Access, groupOf, type Operation, type OperationGroup } from "../operations/operation.ts";
import { operationIds, operationOf } from "../operations.ts";
import { streamEventsQuery } from "../schemas/events.ts";
import { pageOf } from "../schemas/lists.ts";
import { streamLogsQuery } from "../schemas/logs.ts";
import { roleNames, userId } from "../shapes.ts";
import { errorComponents, errorResponsesOf, hasPrecondition } from "./answers.ts";
import { SchemaWriter } from "./schema-writer.ts";
import { shapes } from "./shapes.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description?: string;
  readonly schema: object;
}

const { type, group, actor_kind, name, outcome } = streamEventsQuery.properties;
const { unit, since, priority, q, status, user } = streamLogsQuery.properties;

const query = (called: string, schema: object): Parameter => ({ name: called, in: "query", schema });
const header = (called: string, description: string): Parameter => ({
  name: called,
  in: "header",
  description,
  schema: { type: "string" },
});

const shared = {
  InPathUserId: { name: "id", in: "path", required: true, schema: userId },
  Cursor: query("cursor", pageOf(1).cursor),
  Limit: query("limit", pageOf(200).limit),
  OfEventType: query("type", type),
  OfEventGroup: query("group", group),
  ByActorKind: query("actor_kind", actor_kind),
  AboutName: query("name", name),
  WithOutcome: query("outcome", outcome),
  OfUnit: query("unit", unit),
  Since: query("since", since),
  OfPriority: query("priority", priority),
  WithText: query("q", q),
  WithStatus: query("status", status),
  OfUser: query("user", user),
  IfMatch: header("If-Match", "the ETag of the answer that the change is based on"),
  IdempotencyKey: header(
    "Idempotency-Key",
    "any text of the client's, such as a UUID: a repetition within 5 minutes gets the first answer",
  ),
  LastEventId: header(
    "Last-Event-ID",
    "the id of the last message that was read; the stream goes on after it",
  ),
  RefreshBinding: header(
    "X-Refresh-Binding",
    "`refresh_binding` of the sign-in; a refresh token in a cookie is accepted only with it",
  ),
} as const satisfies Record<string, Parameter>;

/** The parameters of an operation: references to the shared ones, and its own. */
function parametersOf(operation: Operation, writer: SchemaWriter): object[] {
  const path = Object.entries(operation.pathParameters ?? {}).map(
    ([called, schema]): Parameter => ({ name: called, in: "path", required: true, schema }),
  );
  const members = (operation.query as { properties?: Record<string, object> } | undefined)?.properties ?? {};
  const own = [...path, ...Object.entries(members).map(([called, schema]) => query(called, schema))];
  return [
    ...own.map((one) => sharedAs(one) ?? { ...one, schema: writer.write(one.schema, "request") }),
    ...(operation.cookie === "read" ? [referTo("RefreshBinding")] : []),
    ...(operation.idempotencyKey ? [referTo("IdempotencyKey")] : []),
    ...(hasPrecondition(operation) ? [referTo("IfMatch")] : []),
    ...(operation.response.stream ? [referTo("LastEventId")] : []),
  ];
}

function sharedParameters(writer: SchemaWriter): Record<string, object> {
  return Object.fromEntries(
    Object.entries(shared).map(([key, one]) => [
      key,
      { ...one, schema: writer.write(one.schema, "request") },
    ]),
  );
}

function sharedAs(parameter: Parameter): object | undefined {
  const text = JSON.stringify(parameter);
  const [key] = Object.entries(shared).find(([, one]) => JSON.stringify(one) === text) ?? [];
  return key === undefined ? undefined : referTo(key as keyof typeof shared);
}

const referTo = (key: keyof typeof shared): object => ({ $ref: `#/components/parameters/${key}` });

/** All but what only root's command line calls, over the socket on the device, and what is for the console's own page. */
export const documentedIds = operationIds.filter((id) => {
  const { isOfCommandLine, ofConsole } = operationOf(id);
  return !isOfCommandLine && !ofConsole;
});

/** The groups of operations, as clients and the metrics know them. */
const tags: Readonly<Record<OperationGroup, string>> = {
  system: "The settings, the clock, the host, health and status of the device.",
  setup: "The first administrator.",
  auth: "Sign-in, sessions and the own account.",
  users: "Accounts and their second factors.",
  tokens: "API tokens, which programs use in place of a password.",
  events: "The record of changes, refusals and the product's reports, chained by hashes.",
  logs: "Log lines of the agent and of the units around it.",
  updates: "Signed updates and the root of trust.",
  product: "The product that the device exists for, and its pages.",
  notifications: "Receivers of messages that leave the device by themselves.",
};

/** The contract as an OpenAPI 3.1 document. The build writes it; the agent serves the file. */
export function openApiDocument(version: string): object {
  const writer = new SchemaWriter();
  const paths: Record<string, Record<string, object>> = {};
  // Requests first: a shape of requests is closed wherever it occurs.
  const requests = documentedIds.map((id) => requestOf(operationOf(id), writer));
  for (const [index, id] of documentedIds.entries()) {
    const operation = operationOf(id);
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = {
      operationId: id,
      tags: [groupOf(operation)],
      summary: operation.summary,
      description: operation.description,
      security: securityOf(operation),
      ...(operation.stepUp && { "x-step-up": operation.stepUp }),
      ...requests[index],
      responses: {
        [operation.response.status]: successOf(operation, writer),
        ...otherStatusesOf(operation),
        ...errorResponsesOf(operation),
      },
    };
    paths[operation.path] = item;
  }
  const parameters = sharedParameters(writer);
  const responses = errorComponents(writer.write(shapes.Problem, "answer"));
  return {
    openapi: "3.1.0",
    info: {
      title: "Steward",
      version,
      summary: "The operations agent of a Linux appliance",
      description:
        "Accounts and sign-in, the clock, settings, signed updates, and facts about the agent and its host. `x-step-up`: the operation needs a password that was given within the last five minutes (`others`: except for what users do to themselves). `x-writer`: the least role that may change a setting. `default` is every error, and 409, 412 and 429 beside it call for an act of the client; they name the codes of the operation's own, and `components/responses` those of any request. Later versions may add operations, optional members of requests, members of answers, and values such as codes: a client ignores what it does not know.",
      contact: { name: "the maker of this device" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: "/", description: "this device" }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: writer.components(), responses, parameters, headers, securitySchemes },
  };
}

const text = { type: "string" };

const headers = {
  RequestId: { description: "of every answer; names the request in the log and in events", schema: text },
  ETag: { description: "strong entity tag", schema: text },
  WeakETag: { description: "the same while only figures of the moment change", schema: text },
  Location: { description: "path of what was made", schema: text },
  Challenge: { description: "with 401 (RFC 6750, RFC 9470)", schema: text },
  RateLimitPolicy: {
    description: "of every answer to a change: q at once, all again after w seconds",
    schema: text,
  },
  RateLimit: { description: "the rest of it (r), and seconds until all is there again (t)", schema: text },
  RetryAfter: { description: "with 429 and 503: seconds", schema: { type: "integer" } },
};

function requestOf(operation: Operation, writer: SchemaWriter): object {
  const parameters = parametersOf(operation, writer);
  const { body, bodyOptional, upload } = operation;
  const content = upload
    ? {
        "application/octet-stream": {
          schema: { ...text, format: "binary", "x-max-bytes": upload.maximumBytes },
        },
      }
    : body && { "application/json": { schema: writer.write(body, "request") } };
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: !bodyOptional, content } }),
  };
}

function successOf(operation: Operation, writer: SchemaWriter): object {
  const { status, schema, etag, weakEtag, stream, mediaType = "application/json" } = operation.response;
  const written = schema && writer.write(schema, "answer");
  // OpenAPI 3.1 has no word for the items of a stream; JSON Schema 2020-12 §8 has one for what a text contains.
  const streamed = { ...text, contentMediaType: "text/event-stream", contentSchema: written };
  return {
    description: successWords[status],
    ...((etag || weakEtag || status === 201) && {
      headers: {
        ...((etag || weakEtag) && { ETag: { $ref: `#/components/headers/${etag ? "" : "Weak"}ETag` } }),
        ...(status === 201 && { Location: { $ref: "#/components/headers/Location" } }),
      },
    }),
    ...(written && {
      content: stream
        ? { "text/event-stream": { schema: streamed } }
        : { [mediaType.replace(/;.*/, "")]: { schema: written } },
    }),
  };
}

function otherStatusesOf({ response: { headers = [] } }: Operation): object {
  return Object.fromEntries(headers.map((status) => [status, { description: otherWords[status] }]));
}

const otherWords = { 200: "Go on", 302: "Elsewhere", 401: "Sign in first", 403: "Refused" } as const;

const successWords = { 200: "Done", 201: "Created", 202: "Begun", 204: "Done", 302: "Elsewhere" } as const;

const securitySchemes = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "The access token of POST /api/auth/login. The names in the array are the roles of which the user must have one, none of them: any role; `self`: the user must be the one in the path; `local-root`: no token, but root over the unix socket, who may also do what administrators may.",
  },
  apiToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "stw_…",
    description:
      "A token of POST /api/tokens. The name in the array is the scope that it must have, none: any; its owner's role must allow the operation as well.",
  },
} as const;

/** Alternatives, each enough. OpenAPI 3.1 §4.8.30: all names of one array are required, so each role is one. */
function securityOf({ access, scope }: Operation): object[] {
  if (access === "token") return [{ apiToken: [] }];
  return [
    ...(access === "open" ? [{}] : []),
    ...rolesOf(access).map((roles) => ({ accessToken: roles })),
    ...(scope === undefined ? [] : [{ apiToken: [scope] }]),
  ];
}

function rolesOf(access: Exclude<Access, "token">): string[][] {
  if (access === "open" || access === "session") return [[]];
  if (access === "local") return [["local-root"]];
  if (access === "self") return [["self"]];
  if (roleNames.every((role) => access.roles.includes(role))) return [[]];
  return [...access.roles, ...(access.self ? ["self"] : [])].map((role) => [role]);
}
