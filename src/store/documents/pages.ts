import { StewardError } from "../../contract/errors.ts";
import { valueIn } from "../../contract/text/json-of.ts";

/** The sort key of an item: the first member that differs decides, so no two items may share the last one. */
export type Key = readonly (string | number)[];

/** A page of a list, in the shape that the contract gives every list. */
export interface Page<Item> {
  items: Item[];
  total: number;
  next_cursor: string | null;
}

export interface Paging<Item> {
  /** The name of the list and its order; the cursor of another list is refused. */
  readonly list: string;
  readonly keyOf: (item: Item) => Key;
  readonly isDescending?: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * One page of the items, in the order of their keys. The cursor holds the key of the last item of the page, not its
 * index, so that no item is skipped or repeated while others come and go. Throws `invalid_cursor`.
 */
export function pageOf<Item>(items: readonly Item[], paging: Paging<Item>): Page<Item> {
  const { list, keyOf, isDescending = false, limit, cursor } = paging;
  const direction = isDescending ? -1 : 1;
  const order = (a: Key, b: Key) => direction * compareKeys(a, b);
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  const after = cursor === undefined ? undefined : readCursor(list, cursor, keyed[0]?.key);
  const rest = after === undefined ? keyed : keyed.filter(({ key }) => order(key, after) > 0);
  rest.sort((a, b) => order(a.key, b.key));
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = last !== undefined && rest.length > shown.length;
  return {
    items: shown.map(({ item }) => item),
    total: items.length,
    next_cursor: hasMore ? writeCursor(list, last.key) : null,
  };
}

export function foreignCursor(): StewardError {
  return new StewardError(
    "invalid_cursor",
    "The cursor does not belong to this list and order. Take `next_cursor` of the page before as it is, or begin again without a cursor.",
  );
}

function compareKeys(a: Key, b: Key): number {
  for (let place = 0; place < a.length; place += 1) {
    const [own, other] = [a[place], b[place]];
    if (own !== other && own !== undefined && other !== undefined) return own < other ? -1 : 1;
  }
  return 0;
}

function writeCursor(list: string, key: Key): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString("base64url");
}

/** The key in a cursor; `like` is a key of this list. */
function readCursor(list: string, cursor: string, like: Key | undefined): Key {
  const value = valueIn(Buffer.from(cursor, "base64url").toString());
  const [of, ...key]: unknown[] = Array.isArray(value) ? value : [];
  const isKey = (members: unknown[]): members is (string | number)[] =>
    members.length > 0 &&
    members.every((member) => typeof member === "string" || Number.isFinite(member)) &&
    (like === undefined ||
      like.map((member) => typeof member).join() === members.map((m) => typeof m).join());
  if (of !== list || !isKey(key)) throw foreignCursor();
  return key;
}
