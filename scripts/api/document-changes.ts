/** Finds the changes of a later API document that break programs for an earlier one (docs/api.md). */
import { type Named, type Schema, SchemaChanges } from "./schema-changes.ts";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

interface Content {
  [mediaType: string]: { schema: Schema };
}

interface Answer {
  content?: Content;
  headers?: Record<string, unknown>;
}

export interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  "x-step-up"?: true | "others";
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Answer>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Named; parameters?: Record<string, Parameter> };
}

/** The breakages, a line each; empty when every program goes on working. */
export function breakages(before: ApiDocument, after: ApiDocument): string[] {
  const schemas = new SchemaChanges(before.components.schemas, after.components.schemas);
  const names = Object.keys(before.components.schemas)
    .filter((name) => !(name in after.components.schemas))
    .map((name) => `the shape ${name} is gone`);
  const operations = Object.entries(before.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const where = `${method.toUpperCase()} ${path}`;
      const present = after.paths[path]?.[method];
      if (!present) return [`${where}: the operation is gone`];
      const pair = { before: { ...operation, parameters: parametersOf(operation, before) }, after: present };
      return operationChanges(pair, parametersOf(present, after), schemas, where);
    }),
  );
  return [...names, ...operations];
}

interface Operations {
  readonly before: Operation & { parameters: Parameter[] };
  readonly after: Operation;
}

function operationChanges(
  { before, after }: Operations,
  parameters: readonly Parameter[],
  schemas: SchemaChanges,
  where: string,
): string[] {
  const renamed = before.operationId === after.operationId ? [] : [`${where}: operationId has changed`];
  return [
    ...renamed,
    ...securityChanges(before, after).map((change) => `${where}: ${change}`),
    ...parameterChanges(before.parameters, parameters, schemas, where),
    ...bodyChanges(before, after, schemas, where),
    ...answerChanges(before, after, schemas, where),
    ...errorChanges(before, after, where),
  ];
}

function parametersOf({ parameters = [] }: Operation, { components }: ApiDocument): Parameter[] {
  return parameters.flatMap((one) => {
    if (!("$ref" in one)) return [one];
    const shared = components.parameters?.[one.$ref.split("/").at(-1) ?? ""];
    return shared ? [shared] : [];
  });
}

/** Each way in that was enough is enough. */
function securityChanges(before: Operation, after: Operation): string[] {
  const ways = after.security ?? [];
  const isEnough = (held: Record<string, string[]>): boolean =>
    ways.some(
      (way) =>
        Object.entries(way).every(([scheme, names]) => names.every((name) => held[scheme]?.includes(name))) &&
        Object.keys(way).every((scheme) => scheme in held),
    );
  const shut = (before.security ?? [])
    .filter((held) => !isEnough(held))
    .map((held) => `${JSON.stringify(held)} is no longer enough to call it`);
  const [was, is] = [before["x-step-up"], after["x-step-up"]];
  const asks = is !== undefined && is !== was && was !== true;
  return [...shut, ...(asks ? ["it needs a step-up now"] : [])];
}

function parameterChanges(
  before: readonly Parameter[],
  after: readonly Parameter[],
  schemas: SchemaChanges,
  where: string,
): string[] {
  const found = (among: readonly Parameter[], one: Parameter) =>
    among.find((other) => other.name === one.name && other.in === one.in);
  const changed = before.flatMap((one) => {
    const present = found(after, one);
    const at = `${where} ${one.in} ${one.name}`;
    if (!present) return [`${at}: the parameter is gone`];
    const required = present.required && !one.required ? [`${at}: it is required now`] : [];
    return [...required, ...schemas.between({ before: one.schema, after: present.schema }, "request", at)];
  });
  const demanded = after
    .filter((one) => one.required && !found(before, one))
    .map((one) => `${where} ${one.in} ${one.name}: a new parameter is required`);
  return [...changed, ...demanded];
}

function bodyChanges(before: Operation, after: Operation, schemas: SchemaChanges, where: string): string[] {
  const [was, is] = [before.requestBody, after.requestBody];
  const required = is?.required && !was?.required ? [`${where}: a body is required now`] : [];
  if (!was) return required;
  return [...required, ...contentChanges(was.content, is?.content, schemas, `${where} body`, "request")];
}

function answerChanges(before: Operation, after: Operation, schemas: SchemaChanges, where: string): string[] {
  const isSuccess = ([status]: [string, unknown]): boolean => status.startsWith("2");
  const [was, is] = [before, after].map(({ responses }) => Object.entries(responses).find(isSuccess));
  if (!was || !is || was[0] !== is[0]) return [`${where}: the success ${was?.[0]} is ${is?.[0]} now`];
  const lost = Object.keys(was[1].headers ?? {})
    .filter((name) => !(name in (is[1].headers ?? {})))
    .map((name) => `${where}: the header ${name} is gone`);
  const changed = contentChanges(was[1].content ?? {}, is[1].content, schemas, `${where} answer`, "answer");
  return [...lost, ...changed];
}

/**
 * Each error that was declared still is: by its status, by its range or by `default`, which covers both (OpenAPI 3.1
 * §4.8.16). What is declared has one shape, `Problem`, so a program reads it as before.
 */
function errorChanges(before: Operation, after: Operation, where: string): string[] {
  const isCovered = (status: string): boolean =>
    [status, `${status[0]}XX`, "default"].some((declared) => declared in after.responses);
  return Object.keys(before.responses)
    .filter((status) => !status.startsWith("2") && !isCovered(status))
    .map((status) => `${where}: the error ${status} is no longer declared`);
}

function contentChanges(
  before: Content,
  after: Content | undefined,
  schemas: SchemaChanges,
  where: string,
  side: "request" | "answer",
): string[] {
  return Object.entries(before).flatMap(([mediaType, { schema }]) => {
    const present = after?.[mediaType]?.schema;
    if (!present) return [`${where}: ${mediaType} is gone`];
    return schemas.between({ before: schema, after: present }, side, where);
  });
}
