import type { User, UserList, UserQuery } from "../contract/types.ts";
import { pageOf } from "../store/documents/pages.ts";
import type { Account } from "./account.ts";

type SortMember = "username" | "created_at" | "last_login_at";

type Kind = keyof UserList["counts"];

/** The kinds of users that are counted, each as the query that lists it. */
const queries: Readonly<Record<Kind, UserQuery>> = {
  admin: { role: "admin" },
  operator: { role: "operator" },
  readonly: { role: "readonly" },
  active: { enabled: true, locked: false },
  locked: { locked: true },
  disabled: { enabled: false },
  without_two_factor: { enabled: true, two_factor: false },
  never_signed_in: { signed_in: false },
};
const kinds = Object.keys(queries) as Kind[];

/**
 * One page of the matching users, and the number of users of each kind. Only those of the page are held as a view at the
 * same time: there may be thousands of accounts. Throws `invalid_cursor`.
 */
export function listUsers(
  accounts: readonly Account[],
  view: (account: Account) => User,
  query: UserQuery,
): UserList {
  const { limit = 50, sort = "username", cursor } = query;
  const member = sort.replace("-", "") as SortMember;
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  const matching = accounts.filter((account) => {
    const user = view(account);
    for (const kind of kinds) if (matches(user, queries[kind])) counts[kind] += 1;
    return matches(user, query);
  });
  const page = pageOf(matching, {
    list: `users ${sort}`,
    keyOf: (account) => [account[member] ?? "", account.id],
    isDescending: sort.startsWith("-"),
    limit,
    cursor,
  });
  return { ...page, items: page.items.map(view), counts };
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
