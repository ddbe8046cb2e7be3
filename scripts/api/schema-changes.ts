/** Finds the changes of a schema that break those who send or read data of it, as docs/api.md promises. */

export type Schema = Readonly<Record<string, unknown>>;

/** These programs have to go on working: those that send data of the schema, or those that read it. */
export type Side = "request" | "answer";

/** The schemas that a document's references lead to. */
export type Named = Readonly<Record<string, Schema>>;

export interface Pair {
  readonly before: Schema;
  readonly after: Schema;
}

export class SchemaChanges {
  private readonly named: { before: Named; after: Named };
  /** Pairs of names that are being compared, or were: schemas may refer to themselves. */
  private readonly compared = new Set<string>();

  constructor(before: Named, after: Named) {
    this.named = { before, after };
  }

  /** The breakages, each with where it is; empty when there are none. */
  between(pair: Pair, side: Side, where: string): string[] {
    const names = [pair.before.$ref, pair.after.$ref];
    if (names.every((name) => name !== undefined)) {
      const key = `${side} ${names.join(" ")}`;
      if (this.compared.has(key)) return [];
      this.compared.add(key);
    }
    const before = resolved(pair.before, this.named.before);
    const after = resolved(pair.after, this.named.after);
    if (alternativesOf(before) || alternativesOf(after))
      return this.alternatives({ before, after }, side, where);
    return [
      ...typeChanges({ before, after }, side),
      ...valueChanges({ before, after }, side),
      ...limitChanges({ before, after }, side),
      ...requiredChanges({ before, after }, side),
    ]
      .map((change) => `${where}: ${change}`)
      .concat(this.members({ before, after }, side, where));
  }

  private members({ before, after }: Pair, side: Side, where: string): string[] {
    const found: string[] = [];
    const now = propertiesOf(after);
    for (const [name, schema] of Object.entries(propertiesOf(before))) {
      const present = now[name];
      if (present === undefined) found.push(`${where}/${name}: the member is gone`);
      else {
        const pair = { before: schema, after: present };
        found.push(...this.between(pair, isAsBefore(pair) ? "request" : side, `${where}/${name}`));
      }
    }
    for (const key of ["items", "additionalProperties", "contentSchema"]) {
      const [one, other] = [before[key], after[key]];
      if (isSchema(one) && isSchema(other)) {
        found.push(...this.between({ before: one, after: other }, side, `${where}/${key}`));
      } else if (JSON.stringify(one) !== JSON.stringify(other))
        found.push(...replaced(key, one, other, side, where));
    }
    return found;
  }

  /** Requests: what fitted an alternative fits one now. Answers: each alternative is one that readers know. */
  private alternatives({ before, after }: Pair, side: Side, where: string): string[] {
    const olds = alternativesOf(before) ?? typesApart(before);
    const news = alternativesOf(after) ?? typesApart(after);
    const [judged, known] = side === "request" ? [olds, news] : [news, olds];
    return judged.flatMap((one) => {
      const tries = known.map((other) => {
        const pair = side === "request" ? { before: one, after: other } : { before: other, after: one };
        return new SchemaChanges(this.named.before, this.named.after).between(pair, side, where);
      });
      if (tries.some((found) => found.length === 0)) return [];
      const closest = tries.sort((a, b) => a.length - b.length)[0] ?? [];
      return known.length === judged.length && closest.length > 0
        ? closest
        : [`${where}: the alternative ${shortOf(one)} is ${side === "request" ? "gone" : "new"}`];
    });
  }
}

/**
 * True of a setting whose default is the one of before. It is answered as it was set, so that its value may have
 * a new form wherever it may be set to one: a device where that was not done answers as before.
 */
function isAsBefore({ before, after }: Pair): boolean {
  return "x-writer" in after && JSON.stringify(before.default) === JSON.stringify(after.default);
}

function resolved(schema: Schema, named: Named): Schema {
  const { $ref, ...beside } = schema;
  const target = typeof $ref === "string" ? resolved(named[$ref.split("/").at(-1) ?? ""] ?? {}, named) : {};
  const whole: Schema = { ...target, ...beside };
  const { allOf, ...rest } = whole;
  if (!Array.isArray(allOf)) return whole;
  const parts = (allOf as Schema[]).map((part) => resolved(part, named));
  const required = parts.flatMap((part) => namesIn(part.required));
  return {
    ...rest,
    type: "object",
    required,
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as object,
  };
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const propertiesOf = ({ properties }: Schema): Record<string, Schema> =>
  (properties ?? {}) as Record<string, Schema>;

function alternativesOf({ oneOf, anyOf, properties }: Schema): Schema[] | undefined {
  // Beside members they say which of these come together, and are compared unchanged.
  if (properties !== undefined) return undefined;
  const all = oneOf ?? anyOf;
  return Array.isArray(all) ? (all as Schema[]) : undefined;
}

function typesApart(schema: Schema): Schema[] {
  return typesOf(schema).map((type) => ({ ...schema, type }));
}

/** A schema without a type takes any: the list is empty. */
function typesOf({ type }: Schema): string[] {
  return Array.isArray(type) ? type.map(String) : type === undefined ? [] : [String(type)];
}

function typeChanges({ before, after }: Pair, side: Side): string[] {
  const [accepted, given] =
    side === "request" ? [typesOf(after), typesOf(before)] : [typesOf(before), typesOf(after)];
  if (accepted.length === 0) return [];
  const isTaken = (type: string): boolean =>
    accepted.includes(type) || (type === "integer" && accepted.includes("number"));
  const strange = given.length === 0 ? ["any"] : given.filter((type) => !isTaken(type));
  return strange.map((type) =>
    side === "request" ? `the type ${type} is no longer taken` : `the type ${type} is new`,
  );
}

/** Values may be added, to what is taken and to what is answered; a reader knows what to do with others. */
function valueChanges({ before, after }: Pair, side: Side): string[] {
  const [olds, news] = [valuesOf(before), valuesOf(after)];
  if (side === "answer") return olds && !news ? ["the values are no longer listed"] : [];
  if (!news) return [];
  if (!olds) return ["the values are limited to a list"];
  return olds
    .filter((value) => !news.includes(value))
    .map((value) => `the value ${value} is no longer taken`);
}

function valuesOf(schema: Schema): string[] | undefined {
  if ("const" in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : undefined;
}

const lowerLimits = ["minimum", "minLength", "minItems"];
const upperLimits = ["maximum", "maxLength", "maxItems"];
const forms = ["pattern", "format", "uniqueItems", "not", "contentMediaType"];

function limitChanges({ before, after }: Pair, side: Side): string[] {
  const limits = [...lowerLimits, ...upperLimits].flatMap((key) => {
    const sign = lowerLimits.includes(key) ? 1 : -1;
    const of = (schema: Schema): number =>
      typeof schema[key] === "number" ? schema[key] * sign : Number.NEGATIVE_INFINITY;
    const isTighter = of(after) > of(before);
    const isLooser = of(after) < of(before);
    if (side === "request" ? !isTighter : !isLooser) return [];
    return [`${key} was ${String(before[key])} and is ${String(after[key])}`];
  });
  const others = [...forms, ...(before.properties === undefined ? [] : ["oneOf", "anyOf"])].flatMap((key) => {
    const [one, other] = [JSON.stringify(before[key]), JSON.stringify(after[key])];
    const isAllowed =
      one === other ||
      (side === "request" ? other === undefined || takesMore(before[key], after[key]) : one === undefined);
    return isAllowed ? [] : [`${key} has changed`];
  });
  return [...limits, ...others];
}

/** True of two patterns that differ in one list of characters, to which some were added. */
function takesMore(before: unknown, after: unknown): boolean {
  const listed = /^(.*?)\[((?:\\.|[^\]\\])+)\](.*)$/;
  const [, head, list, tail] = listed.exec(String(before)) ?? [];
  const [, newHead, newList, newTail] = listed.exec(String(after)) ?? [];
  if (list === undefined || newList === undefined || head !== newHead || tail !== newTail) return false;
  const [former, present] = [new RegExp(`[${list}]`), new RegExp(`[${newList}]`)];
  const characters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code));
  return characters.every((character) => !former.test(character) || present.test(character));
}

function requiredChanges({ before, after }: Pair, side: Side): string[] {
  const [olds, news] = [namesIn(before.required), namesIn(after.required)];
  if (side === "request") {
    return news.filter((name) => !olds.includes(name)).map((name) => `${name} is required now`);
  }
  return olds.filter((name) => !news.includes(name)).map((name) => `${name} may be absent now`);
}

function replaced(key: string, before: unknown, after: unknown, side: Side, where: string): string[] {
  const opens = after === undefined || after === true;
  const closes = after === false;
  if (side === "request" && opens && !closes) return [];
  if (side === "answer" && (before === undefined || before === true)) return [];
  return [`${where}: ${key} has changed`];
}

function shortOf(schema: Schema): string {
  return JSON.stringify(schema.$ref ?? schema.type ?? schema).slice(0, 60);
}
