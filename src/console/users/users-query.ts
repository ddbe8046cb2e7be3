import { roleNames } from "../../contract/shapes.ts";
import type { Role, UserQuery } from "../../contract/types.ts";
import { navigate, type Place, place } from "../navigation/navigation.ts";

/** The most that is searched for, in characters; the agent takes no more. */
export const longestSearch = 64;

/** The list can be ordered by these; a minus before one reverses the order. */
const sortKeys = ["username", "last_login_at", "created_at"] as const;

const isSort = (text: string): text is NonNullable<UserQuery["sort"]> =>
  (sortKeys as readonly string[]).includes(text.startsWith("-") ? text.slice(1) : text);

const isRole = (text: string): text is Role => (roleNames as readonly string[]).includes(text);

const ofState: Readonly<Record<string, UserQuery>> = {
  active: { enabled: true, locked: false },
  locked: { locked: true },
  disabled: { enabled: false },
  former: { origin: "former_provider" },
};

/** Members of the address that narrow the list. */
const filterNames = ["q", "role", "state", "factor", "seen"] as const;

/** Turns the address into a query for the agent; members that neither of them knows are left out. */
export function usersQuery({ q, role, state, factor, seen, sort }: Place["query"]): UserQuery {
  return {
    ...(q && { q: q.slice(0, longestSearch) }),
    ...(role && isRole(role) && { role }),
    // Users who cannot sign in need none, unless they are asked for.
    ...(factor === "none" && { two_factor: false, enabled: true }),
    ...(state && ofState[state]),
    ...(seen === "never" && { signed_in: false }),
    sort: sort && isSort(sort) ? sort : "username",
  };
}

/** Puts something else into the address of this page; `undefined` takes it out. */
export function changeQuery(change: Readonly<Record<string, string | undefined>>, replace = true): void {
  void navigate("/users", { ...place.read().query, ...change }, { replace });
}

/** Takes all filters out of the address. */
export function clearFilters(): void {
  changeQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])));
}
