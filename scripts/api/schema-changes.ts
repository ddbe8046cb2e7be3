/** Finds the changes of a schema that break those who send or read data of it, as docs/api.md promises. */

export type Schema = Readonly<Record<string, unknown>>;

/** These programs have to go on working: those that send data of the schema, or those that read it. */
export type Side = "request" | "answer";

/** The schemas that a document's references lead to. */
export type Named = Readonly<Record<string, Schema>>;

interface Pair {
  readonly before: Schema;
  readonly after: Schema;
}

/** One is taken, and one given: the API takes what programs give, and programs take what it answers. */
interface Sides {
  readonly taken: Schema;
  readonly given: Schema;
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
    const key = `${side} ${names.join(" ")}`;
    if (this.compared.has(key)) return [];
    if (names.every((name) => name !== undefined)) this.compared.add(key);
    const before = resolved(pair.before, this.named.before);
    const after = resolved(pair.after, this.named.after);
    if (alternativesOf(before) || alternativesOf(after))
      return this.alternatives({ before, after }, side, where);
    const sides = side === "request" ? { taken: after, given: before } : { taken: before, given: after };
    return [
      ...typeChanges(sides, side),
      ...valueChanges({ before, after }, side),
      ...limitChanges(sides, { before, after }),
      ...requiredChanges(sides, side),
      ...formChanges(sides, side),
    ]
      .map((change) => `${where}: ${change}`)
      .concat(this.members({ before, after }, side, where));
  }

  private members({ before, after }: Pair, side: Side, where: string): string[] {
    const now = propertiesOf(after);
    const ofMembers = Object.entries(propertiesOf(before)).flatMap(([name, schema]) => {
      const present = now[name];
      if (present === undefined) return [`${where}/${name}: the member is gone`];
      const pair = { before: schema, after: present };
      return this.between(pair, isAsBefore(pair) ? "request" : side, `${where}/${name}`);
    });
    const ofParts = parts.flatMap((key) => {
      const [one, other] = [before[key], after[key]];
      if (isSchema(one) && isSchema(other))
        return this.between({ before: one, after: other }, side, `${where}/${key}`);
      const taken = side === "request" ? other : one;
      const isKept = JSON.stringify(one) === JSON.stringify(other) || taken === undefined || taken === true;
      return isKept ? [] : [`${where}: ${key} has changed`];
    });
    return [...ofMembers, ...ofParts];
  }

  /** Each alternative that is given is one that is taken. */
  private alternatives({ before, after }: Pair, side: Side, where: string): string[] {
    const [olds, news] = [before, after].map((schema) => alternativesOf(schema) ?? typesApart(schema));
    const [given = [], taken = []] = side === "request" ? [olds, news] : [news, olds];
    return given.flatMap((one) => {
      const tries = taken.map((other) => {
        const pair = side === "request" ? { before: one, after: other } : { before: other, after: one };
        return new SchemaChanges(this.named.before, this.named.after).between(pair, side, where);
      });
      if (tries.some((found) => found.length === 0)) return [];
      const [closest] = tries.sort((a, b) => a.length - b.length);
      if (closest && taken.length === given.length) return closest;
      const short = JSON.stringify(one.$ref ?? one.type ?? one).slice(0, 60);
      return [`${where}: the alternative ${short} is ${side === "request" ? "gone" : "new"}`];
    });
  }
}

/** Members of a schema that are schemas themselves, or true or false. */
const parts = ["items", "additionalProperties", "contentSchema"];

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
  const all = (allOf as Schema[]).map((part) => resolved(part, named));
  const properties: object = Object.assign({}, ...all.map((part) => part.properties));
  return { ...rest, type: "object", required: all.flatMap((part) => namesIn(part.required)), properties };
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
const namesIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const propertiesOf = ({ properties }: Schema) => (properties ?? {}) as Record<string, Schema>;

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
  return type === undefined ? [] : [type].flat().map(String);
}

function typeChanges({ taken, given }: Sides, side: Side): string[] {
  const [known, types] = [typesOf(taken), typesOf(given)];
  const isTaken = (type: string) =>
    known.length === 0 || known.includes(type) || (type === "integer" && known.includes("number"));
  const strange = (types.length === 0 ? ["any"] : types).filter((type) => !isTaken(type));
  return strange.map((type) => `the type ${type} is ${side === "request" ? "no longer taken" : "new"}`);
}

/** Values may be added, to what is taken and to what is answered; a reader knows what to do with others. */
function valueChanges({ before, after }: Pair, side: Side): string[] {
  const [olds, news] = [valuesOf(before), valuesOf(after)];
  if (side === "answer") return olds && !news ? ["the values are no longer listed"] : [];
  if (!news) return [];
  if (!olds) return ["the values are limited to a list"];
  const lost = olds.filter((value) => !news.includes(value));
  return lost.map((value) => `the value ${value} is no longer taken`);
}

function valuesOf(schema: Schema): string[] | undefined {
  if ("const" in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((value) => JSON.stringify(value)) : undefined;
}

const lowerLimits = ["minimum", "minLength", "minItems"];
const limits = [...lowerLimits, "maximum", "maxLength", "maxItems"];

/** No limit of what is taken is tighter than that of what is given. */
function limitChanges({ taken, given }: Sides, { before, after }: Pair): string[] {
  const isTighter = (key: string): boolean => {
    const sign = lowerLimits.includes(key) ? 1 : -1;
    const [one, other] = [taken, given].map(({ [key]: limit }) =>
      typeof limit === "number" ? limit * sign : Number.NEGATIVE_INFINITY,
    );
    return Number(one) > Number(other);
  };
  return limits.filter(isTighter).map((key) => `${key} was ${before[key]} and is ${after[key]}`);
}

function formChanges({ taken, given }: Sides, side: Side): string[] {
  const whole = ["pattern", "format", "uniqueItems", "not", "contentMediaType"];
  const forms = given.properties === undefined ? whole : [...whole, "oneOf", "anyOf"];
  const isKept = (key: string): boolean =>
    taken[key] === undefined ||
    JSON.stringify(taken[key]) === JSON.stringify(given[key]) ||
    (side === "request" && takesMore(given[key], taken[key]));
  return forms.filter((key) => !isKept(key)).map((key) => `${key} has changed`);
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

function requiredChanges({ taken, given }: Sides, side: Side): string[] {
  const lacking = namesIn(taken.required).filter((name) => !namesIn(given.required).includes(name));
  return lacking.map((name) => `${name} ${side === "request" ? "is required now" : "may be absent now"}`);
}
