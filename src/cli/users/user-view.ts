import type { User } from "../../contract/types.ts";
import type { Fields, Table } from "../../terminal/table.ts";

export function userTable(users: readonly User[]): Table {
  return {
    heads: [
      "NAME",
      "ROLE",
      "ORIGIN",
      "ENABLED",
      "LOCKED",
      "TWO-FACTOR",
      "TOKENS",
      "LAST SIGN-IN",
      "DISPLAY NAME",
    ],
    rows: users.map((user) => [
      user.username,
      user.role,
      user.origin,
      user.enabled,
      user.locked !== null,
      user.two_factor.enabled,
      user.tokens,
      user.last_login_at,
      user.display_name,
    ]),
  };
}

export function userFields(user: User): Fields {
  return [
    ["name", user.username],
    ["display name", user.display_name],
    ["role", user.role],
    ["origin", user.issuer === undefined ? user.origin : `${user.origin} (${user.issuer})`],
    ["enabled", user.enabled],
    ["locked", describeLock(user)],
    ["must change password", user.must_change_password],
    ["two-factor", describeTwoFactor(user)],
    ["API tokens", user.tokens],
    ["last sign-in", user.last_login_at],
    ["created", user.created_at],
    ["changed", user.updated_at],
    ["id", user.id],
  ];
}

/** `no API token`, `1 API token`, `3 API tokens`. */
export function countTokens(count: number): string {
  return `${count === 0 ? "no" : count} API token${count === 1 ? "" : "s"}`;
}

/** `no`, or which sign-ins are locked and until when. */
export function describeLock({ locked }: Pick<User, "locked">): string {
  if (locked === null) return "no";
  const what = [...(locked.password ? ["password"] : []), ...(locked.totp ? ["two-factor code"] : [])];
  return `${what.join(" and ")} until ${locked.until}`;
}

function describeTwoFactor({ two_factor: { enabled, enrolled_at, recovery_codes_remaining } }: User): string {
  if (!enabled) return "no";
  return `since ${enrolled_at ?? "an unknown time"}, ${recovery_codes_remaining} recovery codes left`;
}
