import type { User, UserList, UserQuery } from "../contract/types.ts";
import { pageOf } from "../store/documents/pages.ts";

type SortMember = "username" | "created_at" | "last_login_at";

/** One page of the users that match. Throws `invalid_cursor`. */
export function listUsers(users: readonly User[], query: UserQuery): UserList {
  const { limit = 50, sort = "username", cursor } = query;
  const member = sort.replace("-", "") as SortMember;
  return pageOf(
    users.filter((user) => matches(user, query)),
    {
      list: `users ${sort}`,
      keyOf: (user) => [user[member] ?? "", user.id],
      isDescending: sort.startsWith("-"),
      limit,
      cursor,
    },
  );
}

function matches(user: User, query: UserQuery): boolean {
  if (query.role !== undefined && user.role !== query.role) return false;
  if (query.enabled !== undefined && user.enabled !== query.enabled) return false;
  if (query.locked !== undefined && (user.locked !== null) !== query.locked) return false;
  const part = query.q?.toLowerCase();
  return part === undefined || user.username.includes(part) || user.display_name.toLowerCase().includes(part);
}
