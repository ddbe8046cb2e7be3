import type { User, UserQuery } from "../../contract/types.ts";
import { csvOf } from "../lists/csv.ts";
import { readAllUsers } from "./use-users.ts";

/** The same in every language, for programs that read it: the names of the API. */
const heads = [
  ...["username", "display_name", "role", "origin", "enabled", "locked_until", "must_change_password"],
  ...["two_factor", "recovery_codes", "tokens", "last_login_at", "created_at", "id"],
];

export async function usersAsCsv(query: UserQuery): Promise<{ text: string; count: number }> {
  const users = await readAllUsers(query);
  return { text: csvOf(heads, users.map(cellsOf)), count: users.length };
}

function cellsOf(user: User) {
  const { username, display_name, role, origin, enabled, locked, must_change_password, two_factor } = user;
  return [
    ...[username, display_name, role, origin, enabled, locked?.until ?? null, must_change_password],
    ...[two_factor.enabled, two_factor.recovery_codes_remaining, user.tokens],
    ...[user.last_login_at, user.created_at, user.id],
  ];
}
