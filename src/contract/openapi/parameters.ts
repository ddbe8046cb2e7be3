import type { Operation } from "../operations/operation.ts";
import { streamEventsQuery } from "../schemas/events.ts";
import { pageOf } from "../schemas/lists.ts";
import { streamLogsQuery } from "../schemas/logs.ts";
import { userId } from "../shapes.ts";
import { hasPrecondition } from "./answers.ts";
import type { SchemaWriter } from "./schema-writer.ts";

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
export function parametersOf(operation: Operation, writer: SchemaWriter): object[] {
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

/** The targets of the references. */
export function sharedParameters(writer: SchemaWriter): Record<string, object> {
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
