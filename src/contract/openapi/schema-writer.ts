import { seen } from "../text/visible-text.ts";
import { describedBy, examples, extensions, type ShapeName, shapes } from "./shapes.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The sender of a document with the schema. */
export type Use = "request" | "answer";

interface Place {
  readonly use: Use;
  /** Its members are described elsewhere. */
  readonly isTerse?: true;
}

/** Members that do not change a shape stay beside a reference (JSON Schema 2020-12 §7.7.1), `default` among them. */
const annotations = ["description", "default", "writeOnly", "x-writer"];

/** Only the agent, its errors and its forms use these. */
const internal = ["x-expected", "x-redacted", "x-secret", "x-optional", "title"];

/**
 * Writes schemas as the document has them: a reference where a schema has a name, and else with references in it. Shapes of
 * requests are closed: the agent refuses members that it does not know. Those of answers are open, because later versions
 * may add members (docs/api.md); a shape of both is closed.
 */
export class SchemaWriter {
  private readonly names = namesByKey();
  private readonly used = new Map<ShapeName, Set<Use>>();

  write(schema: object, use: Use): object {
    return this.one(schema, { use });
  }

  components(): Record<string, object> {
    const defined = (Object.keys(shapes) as ShapeName[]).flatMap((name): [string, object][] => {
      const uses = this.used.get(name);
      if (!uses) return [];
      const schema = this.define(name, uses.has("request") ? "request" : "answer");
      const example = examples[name];
      return [[name, { ...schema, ...(example !== undefined && { examples: [example] }) }]];
    });
    return Object.fromEntries(defined);
  }

  private one(given: object, place: Place): object {
    const schema = given as Schema;
    const name = this.names.get(keyOf(schema));
    if (name !== undefined) return this.refer(name, schema, place);
    if (isMoreThanCodes(schema)) return this.splitCodes(schema, place);
    const nonNull = withoutNull(schema);
    // The reference to a time or a name would be longer than its target.
    const isLong = nonNull?.type === "object" || nonNull?.enum !== undefined;
    const nullable = nonNull && isLong ? this.names.get(keyOf(nonNull)) : undefined;
    if (nullable === undefined) return this.members(schema, place);
    const { $ref, ...beside } = this.refer(nullable, schema, place);
    return { oneOf: [{ $ref }, { type: "null" }], ...beside };
  }

  private refer(name: ShapeName, schema: Schema, { use, isTerse }: Place): { $ref: string } {
    const uses = this.used.get(name) ?? new Set();
    this.used.set(name, uses);
    // Its parts are used as well.
    if (!uses.has(use)) {
      uses.add(use);
      this.define(name, use);
    }
    const own = annotationsOf(shapes[name]);
    const beside = Object.entries(annotationsOf(schema)).filter(
      ([key, value]) => isTerse !== true && JSON.stringify(own[key]) !== JSON.stringify(value),
    );
    return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(beside) };
  }

  private define(name: ShapeName, use: Use): object {
    const schema = shapes[name] as Schema;
    const base = extensions[name];
    if (base !== undefined) {
      return { allOf: [this.refer(base, {}, { use }), this.members(added(schema, shapes[base]), { use })] };
    }
    const description = describedBy[name];
    if (description === undefined) return this.members(withoutNull(schema) ?? schema, { use });
    return { description, ...this.members(schema, { use, isTerse: true }) };
  }

  private members(schema: Schema, place: Place): object {
    const left = place.isTerse ? [...annotations, ...internal] : internal;
    return Object.fromEntries(
      Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
        // A part of the settings is whole with nothing given: storage needs that, and no client.
        if (left.includes(key) || (key === "default" && JSON.stringify(value) === "{}")) return [];
        // The agent judges what can be seen, and clients need not know those characters.
        if (key === "pattern" && value === seen) return [];
        if (key === "additionalProperties" && value === false && place.use === "answer") return [];
        return [[key, this.member(key, value, place)]];
      }),
    );
  }

  private member(key: string, value: unknown, place: Place): unknown {
    if (key === "properties") {
      const members = Object.entries(value as Record<string, object>);
      return Object.fromEntries(members.map(([name, one]) => [name, this.one(one, place)]));
    }
    if (["oneOf", "anyOf", "allOf"].includes(key)) {
      return (value as object[]).map((one) => this.one(one, place));
    }
    if (key === "pattern") return String(value).replace(seen, "^");
    if (key === "not") return withRequiredDefined(value as Schema);
    const isSchema = ["items", "additionalProperties"].includes(key) && typeof value === "object";
    return isSchema ? this.one(value as object, place) : value;
  }

  /** The document lists the error codes once. */
  private splitCodes(schema: Schema & { enum: readonly unknown[] }, place: Place): object {
    const others = schema.enum.filter((value) => !errorCodeNames.includes(value));
    return {
      ...annotationsOf(schema),
      anyOf: [{ type: "string", enum: others }, this.refer("ErrorCode", {}, place)],
    };
  }
}

/** Members that must not be there together, defined where they are named: readers of the document look for them there. */
function withRequiredDefined(schema: Schema): Schema {
  const { required = [] } = schema as { required?: readonly string[] };
  if (required.length === 0) return schema;
  return { ...schema, properties: Object.fromEntries(required.map((name) => [name, {}])) };
}

const errorCodeNames: readonly unknown[] = shapes.ErrorCode.enum;

function isMoreThanCodes(schema: Schema): schema is Schema & { enum: readonly unknown[] } {
  const values: unknown = schema.enum;
  return (
    Array.isArray(values) && schema.type === "string" && errorCodeNames.every((code) => values.includes(code))
  );
}

/** The members of a shape that its base does not have. */
function added(schema: Schema, base: Schema): Schema {
  const names = (of: Schema, key: "properties" | "required"): string[] =>
    Array.isArray(of[key]) ? of[key] : Object.keys(of[key] as Schema);
  const isNew = (key: "properties" | "required") => (name: string) => !names(base, key).includes(name);
  const properties = Object.entries(schema.properties as Schema).filter(([name]) =>
    isNew("properties")(name),
  );
  const required = names(schema, "required").filter(isNew("required"));
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
}

/** Throws where one shape has two names: a client would have two types for it. */
function namesByKey(): ReadonlyMap<string, ShapeName> {
  const names = new Map<string, ShapeName>();
  for (const name of Object.keys(shapes) as ShapeName[]) {
    const schema = shapes[name] as Schema;
    const key = keyOf(withoutNull(schema) ?? schema);
    const other = names.get(key);
    if (other !== undefined) throw new Error(`${other} and ${name} are the same shape: give it one name`);
    names.set(key, name);
  }
  return names;
}

/** Equal if and only if two schemas allow the same and have the same parts. */
function keyOf(schema: Schema): string {
  const shape = Object.entries(schema).filter(([key]) => ![...annotations, ...internal].includes(key));
  return JSON.stringify(shape.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The same without null, where the schema is one of a type or null. */
function withoutNull(schema: Schema): Schema | undefined {
  const { type, enum: values } = schema;
  if (!Array.isArray(type) || type.length !== 2 || !type.includes("null")) return undefined;
  const rest = { ...schema, type: type.find((one) => one !== "null") };
  return Array.isArray(values) ? { ...rest, enum: values.filter((value) => value !== null) } : rest;
}

function annotationsOf(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => annotations.includes(key)));
}
