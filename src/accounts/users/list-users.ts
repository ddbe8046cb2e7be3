import type { User, UserList, UserQuery } from "../../contract/types.ts";
import { lasting } from "../../store/documents/lasting.ts";
import { createDerived } from "../../store/documents/look-up.ts";
import { pageOf } from "../../store/documents/pages.ts";
import type { Account } from "./account.ts";
import { originOf } from "./provider-account.ts";

type Kind = keyof UserList["counts"];

const queries: Readonly<Record<Kind, UserQuery>> = {
  admin: { role: "admin" },
  operator: { role: "operator" },
  readonly: { role: "readonly" },
  active: { enabled: true, locked: false },
  locked: { locked: true },
  disabled: { enabled: false },
  former_provider: { origin: "former_provider" },
  without_two_factor: { enabled: true, two_factor: false },
  never_signed_in: { signed_in: false },
};
const kinds = Object.keys(queries) as Kind[];

/** A page of the matching users, and the number of each kind. Only that page is made into a view. Throws `invalid_cursor`. */
export function createUserList({
  all,
  viewer,
  lockOf,
  hasLocks,
  issuer,
}: {
  all: () => readonly Account[];
  viewer: () => (account: Account) => User;
  lockOf: (username: string) => User["locked"];
  /** False: `lockOf` gives none for any user. */
  hasLocks: () => boolean;
  /** The issuer that the host file names; null: it names none. */
  issuer: string | null;
}): (query: UserQuery) => UserList {
  const unlocked = () => false;
  const lockable = ({ username }: Account) => lockOf(username) !== null;
  const countsWithoutLocks = createDerived((accounts: readonly Account[]) =>
    countsOf(accounts, { isLocked: unlocked, issuer }),
  );
  const kept = createKeptViews();
  return (query) => {
    const { limit = 50, sort = "username", cursor } = query;
    const member = sort.replace("-", "") as "username" | "created_at" | "last_login_at";
    const accounts = all();
    const isLocked = hasLocks() ? lockable : unlocked;
    const matching = accounts.filter((account) => matches(account, { isLocked, issuer }, query));
    const page = pageOf(matching, {
      list: `users ${sort}`,
      keyOf: (account) => [account[member] ?? "", account.id],
      isDescending: sort.startsWith("-"),
      limit,
      cursor,
    });
    const counts =
      isLocked === unlocked ? countsWithoutLocks(accounts) : countsOf(accounts, { isLocked, issuer });
    const items = page.items.map(viewer());
    return { ...page, items: kept(page.items, items), counts };
  };
}

/** Keeps the views of the last page: consoles and fleet tools ask for one page again and again. */
function createKeptViews() {
  let former = new Map<Account, User>();
  return (accounts: readonly Account[], views: readonly User[]): User[] => {
    const present = new Map<Account, User>();
    for (const [index, account] of accounts.entries()) {
      const [known, view] = [former.get(account), views[index]];
      if (view !== undefined) present.set(account, known && isSame(known, view) ? known : lasting(view));
    }
    former = present;
    return [...present.values()];
  };
}

/** True for views of one account between which nothing has changed that other rooms keep. */
function isSame(one: User, other: User): boolean {
  const [{ sealing_key }, { sealing_key: otherKey }] = [one.two_factor, other.two_factor];
  return (
    one.locked === null && other.locked === null && one.tokens === other.tokens && sealing_key === otherKey
  );
}

/** The facts that a query also goes by, and that no account has. */
interface Surroundings {
  readonly isLocked: (account: Account) => boolean;
  readonly issuer: string | null;
}

function countsOf(accounts: readonly Account[], surroundings: Surroundings): UserList["counts"] {
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const account of accounts)
    for (const kind of kinds) if (matches(account, surroundings, queries[kind])) counts[kind] += 1;
  return counts;
}

function matches(
  account: Account,
  { isLocked, issuer }: Surroundings,
  { role, origin, enabled, locked, two_factor, signed_in, q }: UserQuery,
): boolean {
  if (role !== undefined && account.role !== role) return false;
  if (origin !== undefined && originOf(account, issuer) !== origin) return false;
  if (enabled !== undefined && account.enabled !== enabled) return false;
  if (locked !== undefined && isLocked(account) !== locked) return false;
  if (two_factor !== undefined && (account.provider !== null || (account.two_factor !== null) !== two_factor))
    return false;
  if (signed_in !== undefined && (account.last_login_at !== null) !== signed_in) return false;
  const part = q?.toLowerCase();
  if (part === undefined) return true;
  return account.username.includes(part) || account.display_name.toLowerCase().includes(part);
}
