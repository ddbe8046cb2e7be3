import { type InputError, StewardError } from "../contract/errors.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { type OperationId, operationOf } from "../contract/operations.ts";
import { isObject } from "../store/validation/members.ts";
import { createValidator, inputValidatorName, type Validator } from "../store/validation/schemas.ts";

/** Path parameters, query and body as they were sent; the body is undefined if there was none. */
export interface RawInput {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: unknown;
}

export interface CheckedInput {
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
  /** Errors of the body; if there are any, the body must not be used. */
  bodyErrors: readonly InputError[];
  /** The valid members of a body with errors; undefined if they cannot be separated. */
  soundBody: () => unknown;
}

/** Throws `not_found` for an id that no resource can have, `unknown_field` and `validation_failed`. */
export type InputCheck = (input: RawInput) => CheckedInput;

export function createInputCheck(id: OperationId): InputCheck {
  const operation = operationOf(id);
  const validator = (part: string, schema: object) => createValidator(inputValidatorName(id, part), schema);
  const checkBody = operation.body ? validator("body", operation.body) : undefined;
  const checkQuery = operation.query ? validator("query", operation.query) : refuseAnyMember;
  const parameters = Object.entries(operation.pathParameters ?? {}).map(
    ([name, schema]): [string, Validator] => [name, validator(`path ${name}`, schema)],
  );
  return (input) => {
    for (const [name, check] of parameters) {
      if (check(input.params[name]).length > 0)
        throw new StewardError(
          "not_found",
          "There is nothing with this id. Take an id whole from the answer that has it.",
        );
    }
    const query =
      input.query.size === 0 && !operation.query ? undefined : queryObject(operation, input.query);
    if (query) refuse(checkQuery(query), "query");
    const body = input.body === undefined && operation.bodyOptional ? {} : input.body;
    const bodyErrors = checkBody ? checkBody(body) : [];
    const soundBody = () => (checkBody ? soundPart(body, bodyErrors, checkBody) : undefined);
    const taken = checkBody || operation.upload ? body : undefined;
    return { params: input.params, query, body: taken, bodyErrors, soundBody };
  };
}

function refuseAnyMember(value: unknown): readonly InputError[] {
  const [name] = Object.keys(value ?? {});
  if (name === undefined) return [];
  return [{ pointer: `/${name}`, code: "unknown_field", detail: "is not a known parameter" }];
}

/** Query parameters are text; numbers and booleans are read by their schema. */
function queryObject(operation: Operation, query: URLSearchParams): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const schema = operation.query as { properties?: Record<string, { type?: unknown }> } | undefined;
  for (const [name, text] of query) {
    if (Object.hasOwn(result, name)) {
      refuse([{ pointer: `/${name}`, code: "repeated", detail: "is given more than once" }], "query");
    }
    Object.defineProperty(result, name, {
      value: typed(text, schema?.properties?.[name]?.type),
      enumerable: true,
      writable: true,
    });
  }
  return result;
}

function typed(text: string, type: unknown): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The number of further errors in the member `errors` of the problem. */
function othersToo(count: number): string {
  if (count === 0) return "";
  return count === 1 ? "; one more is wrong" : `; ${count} more are wrong`;
}

/** Checked once more: the list of errors is bounded, and so are the names in it. */
function soundPart(body: unknown, errors: readonly InputError[], check: Validator): unknown {
  if (!isObject(body)) return undefined;
  const sound = withoutWrong(body, errors);
  return check(sound).every(({ code }) => code === "required") ? sound : undefined;
}

/** The body without wrong members. Only objects on the way are copied: a stranger's may be nested too deeply. */
function withoutWrong(body: unknown, errors: readonly InputError[]): unknown {
  const sound = { body };
  const copies = new Set<unknown>([sound]);
  for (const { pointer } of errors) {
    let at: Record<string, unknown> = sound;
    const names = ["body", ...pointer.split("/").slice(1).map(unescaped)];
    for (const [depth, name] of names.entries()) {
      if (!Object.hasOwn(at, name)) break;
      const member = at[name];
      // A list with a wrong entry is left out as a whole.
      if (depth === names.length - 1 || !isObject(member)) {
        delete at[name];
        break;
      }
      const copy = copies.has(member) ? member : { ...member };
      copies.add(copy);
      at[name] = copy;
      at = copy;
    }
  }
  return sound.body;
}

/** RFC 6901 §4. */
function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Throws one error that lists all of them; does nothing if there are none. */
export function refuse(errors: readonly InputError[], where: "query" | "body"): void {
  const first = errors[0];
  if (!first) return;
  const isUnknown = errors.every(({ code }) => code === "unknown_field");
  const name =
    first.pointer === "" ? `The ${where}` : `${where === "query" ? "Parameter" : "Member"} ${first.pointer}`;
  throw new StewardError(
    isUnknown ? "unknown_field" : "validation_failed",
    `${name} ${first.detail}${othersToo(errors.length - 1)}. Nothing was changed.`,
    { details: { errors } },
  );
}
