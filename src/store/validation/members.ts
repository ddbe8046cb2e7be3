/** The part of a JSON Schema that says which members an object has. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly oneOf?: readonly Shape[];
}

/** The schema for documents on the disk, where unknown members are a newer release's. The API's is strict. */
export function tolerant<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map((one) => tolerant(one)) as T;
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => !(key === "additionalProperties" && value === false),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, tolerant(value)])) as T;
}

/**
 * `after` with the members of `before` that `schema` does not know, wherever the same object is still present: the
 * rooms make new objects of the members that they know, and members of a newer release must survive that. Returns the
 * same object if there is nothing to add.
 */
export function withUnknown<T>(schema: object, before: T, after: T): T {
  return carried(schema as Shape, before, after) as T;
}

/** Only the members that `schema` knows, at every depth; the same object if there are no others. */
export function onlyKnown<T>(schema: object, value: T): T {
  return known(schema as Shape, value) as T;
}

/** The JSON pointers of members that `schema` does not know. */
export function unknownMembers(schema: object, value: unknown, pointer = ""): string[] {
  const { items } = schema as Shape;
  if (Array.isArray(value) && items)
    return value.flatMap((one, index) => unknownMembers(items, one, `${pointer}/${index}`));
  const properties = propertiesOf(schema as Shape);
  if (!properties || !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const part = properties[key];
    // RFC 6901 §3
    const place = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return part ? unknownMembers(part, member, place) : [place];
  });
}

/**
 * `members` with those members of `migrated`, the result of a migration, that it lacks. It is for a document that was
 * in the newer form before: changes made there count, not the migration's initial values.
 */
export function filledIn(members: unknown, migrated: unknown): unknown {
  if (Array.isArray(members) && Array.isArray(migrated)) {
    if (members.length !== migrated.length) return members;
    return members.map((one, index) => filledIn(one, migrated[index]));
  }
  if (!isObject(members) || !isObject(migrated)) return members;
  const filled = Object.entries(migrated).map(([key, value]) => [
    key,
    key in members ? filledIn(members[key], value) : value,
  ]);
  return { ...members, ...Object.fromEntries(filled) };
}

/** `theirs` with each member that `ours` has changed since `base`. */
export function rejoined(base: unknown, ours: unknown, theirs: unknown): unknown {
  if (!isObject(base) || !isObject(ours) || !isObject(theirs))
    return JSON.stringify(ours) === JSON.stringify(base) ? theirs : ours;
  const keys = Object.keys({ ...theirs, ...ours });
  const members = keys.map((key) => [key, rejoined(base[key], ours[key], theirs[key])] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function carried(shape: Shape, before: unknown, after: unknown): unknown {
  if (before === after) return after;
  if (Array.isArray(before) && Array.isArray(after)) return carriedInList(shape.items, before, after);
  const properties = propertiesOf(shape);
  if (!properties || !isObject(before) || !isObject(after)) return after;
  const added = Object.entries(before).filter(([key]) => !(key in properties) && !(key in after));
  const changed = Object.entries(properties).flatMap(([key, member]) => {
    if (!(key in after) || !isStill(member, before[key], after[key])) return [];
    const next = carried(member, before[key], after[key]);
    return next === after[key] ? [] : [[key, next] as const];
  });
  if (added.length === 0 && changed.length === 0) return after;
  return { ...after, ...Object.fromEntries([...added, ...changed]) };
}

function carriedInList(items: Shape | undefined, before: readonly unknown[], after: readonly unknown[]) {
  if (!items || !propertiesOf(items)) return after;
  const former = new Map(before.map((one) => [identityOf(one), one]));
  const next = after.map((one) => {
    const identity = identityOf(one);
    return identity === undefined ? one : carried(items, former.get(identity), one);
  });
  return next.every((one, index) => one === after[index]) ? after : next;
}

/** The member that tells a record of a list from the others. */
function identityOf(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  const identity = record.id ?? record.user_id;
  return typeof identity === "string" ? identity : undefined;
}

/** An object of which no known member is left is another one, such as the second factor of a new enrolment. */
function isStill(shape: Shape, before: unknown, after: unknown): boolean {
  const properties = propertiesOf(shape);
  if (!properties || !isObject(before) || !isObject(after)) return true;
  return Object.keys(properties).some(
    (key) => key in before && JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );
}

function known(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = shape;
    const next = items ? value.map((one) => known(items, one)) : value;
    return next.every((one, index) => one === value[index]) ? value : next;
  }
  const properties = propertiesOf(shape);
  if (!properties || !isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, member]) => {
    const part = properties[key];
    return part ? [[key, known(part, member)] as const] : [];
  });
  const isSame =
    entries.length === Object.keys(value).length && entries.every(([key, one]) => one === value[key]);
  return isSame ? value : Object.fromEntries(entries);
}

function propertiesOf(shape: Shape): Shape["properties"] {
  return shape.properties ?? shape.oneOf?.find((one) => one.properties)?.properties;
}

/** True for a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
