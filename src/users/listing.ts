import type { User, UserList, UserQuery } from "../contract/types.ts";
import { StewardError } from "../errors.ts";

type SortMember = "username" | "created_at" | "last_login_at";

/**
 * One page of users. The cursor names the last user seen and its sort key, so that pages stay whole while users
 * come and go. Throws `invalid_cursor`.
 */
export function listUsers(users: readonly User[], query: UserQuery): UserList {
  const limit = query.limit ?? 50;
  const sort = query.sort ?? "username";
  const isDescending = sort.startsWith("-");
  const member = sort.replace("-", "") as SortMember;
  const keyOf = (user: User): Key => [user[member] ?? "", user.id];
  const direction = isDescending ? -1 : 1;
  const order = (a: Key, b: Key) => direction * compareKeys(a, b);

  const matching = users.filter((user) => matches(user, query)).sort((a, b) => order(keyOf(a), keyOf(b)));
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, sort);
  const rest = after ? matching.filter((user) => order(keyOf(user), after) > 0) : matching;
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const hasMore = rest.length > items.length;
  return {
    items,
    total: matching.length,
    next_cursor: hasMore && last ? writeCursor(keyOf(last), sort) : null,
  };
}

type Key = readonly [string, string];

function compareKeys(a: Key, b: Key): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] !== b[1]) return a[1] < b[1] ? -1 : 1;
  return 0;
}

function matches(user: User, query: UserQuery): boolean {
  if (query.role !== undefined && user.role !== query.role) return false;
  if (query.enabled !== undefined && user.enabled !== query.enabled) return false;
  if (query.locked !== undefined && (user.locked !== null) !== query.locked) return false;
  const part = query.q?.toLowerCase();
  return part === undefined || user.username.includes(part) || user.display_name.toLowerCase().includes(part);
}

function writeCursor(key: Key, sort: string): string {
  return Buffer.from(JSON.stringify([sort, ...key])).toString("base64url");
}

function readCursor(cursor: string, sort: string): Key {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const [of, key, id]: unknown[] = Array.isArray(parsed) ? parsed : [];
    if (of === sort && typeof key === "string" && typeof id === "string") return [key, id];
  } catch {
    // Falls through to the one answer for every cursor that is not ours.
  }
  throw new StewardError(
    "invalid_cursor",
    "The cursor does not belong to this list and order. Begin again without it.",
  );
}
