import type { InputError } from "../../contract/errors.ts";
import { nameRules } from "../../contract/shapes.ts";
import { strangerIn } from "../../contract/text/names.ts";
import { isObject } from "./members.ts";

/** An error of the schema checker, as far as it is used here. */
interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  /** The place of the keyword in the schema, as a URI fragment. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Errors in one answer: more than any form has fields, and few enough that no request chooses the size of an answer.
 */
export const mostErrors = 32;

/** Characters of a member's name in a pointer; a stranger's name can be as long as a body. */
const longestName = 128;

/** The faults of `value`, member by member, in words. */
export function inputErrors(
  errors: readonly SchemaError[],
  schema: object | boolean,
  value: unknown,
): InputError[] {
  const told = new Map<string, InputError>();
  for (const error of errors) {
    if (told.size === mostErrors) break;
    // Another error covers a part of one of several forms, and the form of a name called too long.
    if (/\/(oneOf|anyOf|not|propertyNames)\/./.test(error.schemaPath)) continue;
    const one = inputError(error, schema, value);
    // One error for each place: a text that is too short does not have the right form either.
    if (!told.has(one.pointer)) told.set(one.pointer, one);
  }
  return [...told.values()];
}

function inputError(error: SchemaError, schema: object | boolean, value: unknown): InputError {
  const { keyword, instancePath, params } = error;
  const within = (name: unknown) => `${instancePath}/${escaped(String(name))}`;
  if (keyword === "additionalProperties")
    return {
      pointer: within(params.additionalProperty),
      code: "unknown_field",
      detail: "is not a member known here",
    };
  if (keyword === "required")
    return { pointer: within(params.missingProperty), code: keyword, detail: "is missing" };
  const parent = parentOf(error, schema);
  const text = keyword === "pattern" ? at(value, instancePath) : undefined;
  const form =
    parent.pattern === nameRules.username
      ? /[^a-z0-9._-]/u
      : /(?! )[\p{C}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u;
  const stranger = typeof text === "string" ? strangerIn(text, form) : undefined;
  const detail = wordsFor(error, parent) + (stranger === undefined ? "" : `; it has ${stranger}`);
  return { pointer: instancePath, code: keyword, detail };
}

function escaped(name: string): string {
  return name.slice(0, longestName).replaceAll("~", "~0").replaceAll("/", "~1");
}

type Schema = Readonly<Record<string, unknown>>;

/** The part of the schema whose keyword was not met. */
function parentOf({ schemaPath }: SchemaError, schema: object | boolean): Schema {
  const parent = at(schema, decodeURIComponent(schemaPath.slice(0, schemaPath.lastIndexOf("/"))));
  return isObject(parent) ? parent : {};
}

/** The part of a value that a JSON Pointer names. */
export function at(value: unknown, pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  return names.reduce<unknown>(
    (part, name) => Object(part)[name.replaceAll("~1", "/").replaceAll("~0", "~")],
    value,
  );
}

/** Completes a sentence that begins with the member's name. */
function wordsFor({ keyword, params }: SchemaError, parent: Schema): string {
  const { limit } = params;
  const expected = parent["x-expected"];
  switch (keyword) {
    case "pattern":
    case "format":
    case "not":
    case "oneOf":
    case "anyOf":
      return typeof expected === "string" ? `must be ${expected}` : "is not in the form that is expected";
    case "type":
      return `must be ${typeWords(parent.type)}`;
    case "enum":
      return `must be one of ${wordsOf(parent.enum)}`;
    case "const":
      return `must be ${wordsOf([parent.const])}`;
    case "minLength":
      return limit === 1 ? "must not be empty" : `must have at least ${limit} characters`;
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minItems":
      return limit === 1 ? "must have at least one entry" : `must have at least ${limit} entries`;
    case "maxItems":
      return `must have at most ${limit} entries`;
    case "uniqueItems":
      return "must not have the same entry twice";
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "maxProperties":
      return `must have at most ${limit} members`;
    case "propertyNames":
      return "has a member with a name that is not allowed";
    default:
      return "is not valid";
  }
}

const types: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function typeWords(type: unknown): string {
  const names = Array.isArray(type) ? type : [type];
  return names.map((name) => types[String(name)] ?? "of another type").join(" or ");
}

function wordsOf(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => String(value)).join(", ") : String(values);
}
