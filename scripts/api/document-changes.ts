/** Finds the changes of a later API document that break programs for an earlier one (docs/api.md). */
import { type Named, type Schema, SchemaChanges, type Side } from "./schema-changes.ts";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  "x-step-up"?: true | "others";
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content; headers?: Record<string, unknown> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Named; parameters?: Record<string, Parameter> };
}

/** The breakages, a line each; empty when every program goes on working. */
export function breakages(before: ApiDocument, after: ApiDocument): string[] {
  const schemas = new SchemaChanges(before.components.schemas, after.components.schemas);
  const gone = Object.keys(before.components.schemas).filter((name) => !(name in after.components.schemas));
  const operations = Object.entries(before.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const where = `${method.toUpperCase()} ${path}`;
      const present = after.paths[path]?.[method];
      if (!present) return [`${where}: the operation is gone`];
      const parameters = [parametersOf(operation, before), parametersOf(present, after)] as const;
      return [
        ...ownChanges(operation, present).map((change) => `${where}: ${change}`),
        ...parameterChanges(...parameters, schemas, where),
        ...bodyChanges(operation, present, schemas, where),
        ...answerChanges(operation, present, schemas, where),
      ];
    }),
  );
  return [...gone.map((name) => `the shape ${name} is gone`), ...operations];
}

function parametersOf({ parameters = [] }: Operation, { components }: ApiDocument): Parameter[] {
  return parameters.flatMap((one) =>
    "$ref" in one ? (components.parameters?.[one.$ref.split("/").at(-1) ?? ""] ?? []) : [one],
  );
}

/** Changes of its name, of who may call it, and of its errors. */
function ownChanges(before: Operation, after: Operation): string[] {
  // Each way in that was enough is enough.
  const isEnough = (held: Record<string, string[]>): boolean =>
    (after.security ?? []).some((way) =>
      Object.entries(way).every(
        ([scheme, names]) => scheme in held && names.every((name) => held[scheme]?.includes(name)),
      ),
    );
  const shut = (before.security ?? []).filter((held) => !isEnough(held)).map((held) => JSON.stringify(held));
  const [was, is] = [before["x-step-up"], after["x-step-up"]];
  // OpenAPI 3.1 §4.8.16: an error is declared by its status, by its range or by `default`, which covers both. All have one
  // shape, `Problem`, so a program reads it as before.
  const isDeclared = (status: string): boolean =>
    [status, `${status[0]}XX`, "default"].some((declared) => declared in after.responses);
  const errors = Object.keys(before.responses).filter((status) => !/^2/.test(status) && !isDeclared(status));
  return [
    ...(before.operationId === after.operationId ? [] : ["operationId has changed"]),
    ...shut.map((held) => `${held} is no longer enough to call it`),
    ...(is !== undefined && is !== was && was !== true ? ["it needs a step-up now"] : []),
    ...errors.map((status) => `the error ${status} is no longer declared`),
  ];
}

type Parameters = readonly Parameter[];

function parameterChanges(before: Parameters, after: Parameters, schemas: SchemaChanges, where: string) {
  const found = (among: Parameters, one: Parameter) =>
    among.find((other) => other.name === one.name && other.in === one.in);
  const changed = before.flatMap((one) => {
    const present = found(after, one);
    const at = `${where} ${one.in} ${one.name}`;
    if (!present) return [`${at}: the parameter is gone`];
    const required = present.required && !one.required ? [`${at}: it is required now`] : [];
    return [...required, ...schemas.between({ before: one.schema, after: present.schema }, "request", at)];
  });
  const added = after.filter((one) => one.required && !found(before, one));
  return [...changed, ...added.map((one) => `${where} ${one.in} ${one.name}: a new parameter is required`)];
}

function bodyChanges(before: Operation, after: Operation, schemas: SchemaChanges, where: string): string[] {
  const [was, is] = [before.requestBody, after.requestBody];
  const required = is?.required && !was?.required ? [`${where}: a body is required now`] : [];
  return [...required, ...contentChanges(was?.content, is?.content, schemas, `${where} body`, "request")];
}

function answerChanges(before: Operation, after: Operation, schemas: SchemaChanges, where: string): string[] {
  const success = ({ responses }: Operation) =>
    Object.entries(responses).find(([status]) => /^[23]/.test(status));
  const [was, is] = [success(before), success(after)];
  if (!was || !is || was[0] !== is[0]) return [`${where}: the success ${was?.[0]} is ${is?.[0]} now`];
  const lost = Object.keys(was[1].headers ?? {}).filter((name) => !(name in (is[1].headers ?? {})));
  const changed = contentChanges(was[1].content, is[1].content, schemas, `${where} answer`, "answer");
  return [...lost.map((name) => `${where}: the header ${name} is gone`), ...changed];
}

function contentChanges(
  before: Content = {},
  after: Content = {},
  schemas: SchemaChanges,
  where: string,
  side: Side,
): string[] {
  return Object.entries(before).flatMap(([mediaType, { schema }]) => {
    const present = after[mediaType]?.schema;
    if (!present) return [`${where}: ${mediaType} is gone`];
    return schemas.between({ before: schema, after: present }, side, where);
  });
}
