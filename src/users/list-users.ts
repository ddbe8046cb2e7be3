import type { User, UserList, UserQuery } from "../contract/types.ts";
import { pageOf } from "../store/documents/pages.ts";

type SortMember = "username" | "created_at" | "last_login_at";

/** One page of the matching users, and the number of users of each kind. Throws `invalid_cursor`. */
export function listUsers(users: readonly User[], query: UserQuery): UserList {
  const { limit = 50, sort = "username", cursor } = query;
  const member = sort.replace("-", "") as SortMember;
  const page = pageOf(
    users.filter((user) => matches(user, query)),
    {
      list: `users ${sort}`,
      keyOf: (user) => [user[member] ?? "", user.id],
      isDescending: sort.startsWith("-"),
      limit,
      cursor,
    },
  );
  return { ...page, counts: countsOf(users) };
}

function matches(user: User, { role, enabled, locked, two_factor, signed_in, q }: UserQuery): boolean {
  if (role !== undefined && user.role !== role) return false;
  if (enabled !== undefined && user.enabled !== enabled) return false;
  if (locked !== undefined && (user.locked !== null) !== locked) return false;
  if (two_factor !== undefined && (user.two_factor.enabled !== two_factor || user.origin === "provider"))
    return false;
  if (signed_in !== undefined && (user.last_login_at !== null) !== signed_in) return false;
  const part = q?.toLowerCase();
  return part === undefined || user.username.includes(part) || user.display_name.toLowerCase().includes(part);
}

function countsOf(users: readonly User[]): UserList["counts"] {
  const count = (query: UserQuery) => users.filter((user) => matches(user, query)).length;
  return {
    admin: count({ role: "admin" }),
    operator: count({ role: "operator" }),
    readonly: count({ role: "readonly" }),
    active: count({ enabled: true, locked: false }),
    locked: count({ locked: true }),
    disabled: count({ enabled: false }),
    without_two_factor: count({ enabled: true, two_factor: false }),
    never_signed_in: count({ signed_in: false }),
  };
}
