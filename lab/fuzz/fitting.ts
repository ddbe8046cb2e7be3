import fc, { type Arbitrary } from "fast-check";
import { json, plausibleTexts, texts, weighed } from "./arbitraries.ts";

/** The part of JSON Schema that the contract uses. */
export interface Schema extends Bounds {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
}

type Bound = "minItems" | "maxItems" | "minLength" | "maxLength" | "minimum" | "maximum";
type Bounds = { readonly [name in Bound]?: number };

/** The same function, which makes its result once for each value. */
export function madeOnce<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const known = new WeakMap<From, To>();
  return (from) => {
    const made = known.get(from) ?? make(from);
    known.set(from, made);
    return made;
  };
}

/** Values that fit the schema, as a rule: what rules say beyond it the agent has to refuse itself. */
export const fitting: (schema: Schema) => Arbitrary<unknown> = madeOnce(made);

function made(schema: Schema): Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const branches = schema.oneOf ?? schema.anyOf ?? [];
  const isRequirement = branches.every((branch) => !("type" in branch) && branch.required !== undefined);
  if (!isRequirement) return fc.oneof(...branches.map(fitting));
  const { type } = schema;
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => fitting({ ...schema, type: one })));
  if (type === "object") {
    const required = branches.map((branch) => objects(schema, branch.required));
    return required.length > 0 ? fc.oneof(...required) : objects(schema, []);
  }
  if (type === "array") return arrays(schema);
  if (type === "string") return strings(schema);
  if (type === "integer" || type === "number") return numbers(schema);
  if (type === "boolean") return fc.boolean();
  return type === "null" ? fc.constant(null) : json;
}

/** Some of what is optional at a time: a change of everything is refused for one of its members as a rule. */
const mostOptional = 2;

function objects({ properties = {}, required = [], not }: Schema, more: readonly string[] = []) {
  const names = Object.keys(properties);
  const needed = names.filter((name) => required.includes(name) || more.includes(name));
  const optional = names.filter((name) => !needed.includes(name));
  return fc.subarray(optional, { maxLength: Math.min(mostOptional, optional.length) }).chain((chosen) => {
    const present = new Set([...needed, ...chosen]);
    const [first = "", ...others] = not?.required ?? [];
    if (others.every((name) => present.has(name))) present.delete(first);
    const members = [...present].map((name) => [name, fitting(properties[name] ?? {})] as const);
    return fc.record(Object.fromEntries(members), { noNullPrototype: true });
  });
}

function arrays({ items = {}, minItems = 0, maxItems = 3, uniqueItems }: Schema): Arbitrary<unknown[]> {
  const size = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) };
  return uniqueItems ? fc.uniqueArray(fitting(items), size) : fc.array(fitting(items), size);
}

function strings({ pattern, format, minLength = 0, maxLength = 256 }: Schema): Arbitrary<string> {
  if (format === "date-time") return fc.constantFrom("2026-11-20T08:00:00.000Z", "2031-01-01T00:00:00.000Z");
  if (pattern === undefined) return texts.map((text) => text.slice(0, maxLength).padEnd(minLength, "x"));
  const known = plausibleTexts.filter((text) => text.length <= maxLength && new RegExp(pattern).test(text));
  if (known.length > 0) return fc.constantFrom(...known);
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
}

function numbers({ minimum = 0, maximum = 1_000, type }: Schema): Arbitrary<number> {
  const inside = fc.integer({ min: Math.ceil(minimum), max: maximum });
  const whole = weighed([2, fc.constantFrom(minimum, maximum)], [1, inside]);
  if (type === "integer") return whole;
  return fc.tuple(whole, fc.boolean()).map(([value, isWhole]) => (isWhole ? value : value + 0.5));
}
