import { tokensPerUser } from "../../accounts/tokens/api-tokens.ts";
import { foreignScopes, rightsFaults } from "../../accounts/tokens/token-rights.ts";
import type { Account, AccountsState } from "../../accounts/users/account.ts";
import type { ShutOut } from "../../accounts/users/administrators.ts";
import { isCostlier, isWeaker, mostWork } from "../../accounts/users/passwords.ts";
import { durationSeconds } from "../../contract/durations.ts";
import type { Fault } from "../../contract/errors.ts";
import { tokenLifeSeconds } from "../../contract/schemas/tokens.ts";
import type { Configuration } from "../../contract/types.ts";
import type { Order, Present } from "./order.ts";
import { planned } from "./plan.ts";
import { type ConfiguredToken, rightsWanted } from "./planned-tokens.ts";
import type { ConfiguredUser } from "./planned-users.ts";

/** All faults of a configuration that fits the schema, by their places. `settingFaults`: pointers into the settings. */
export function configurationFaults(
  present: Present,
  order: Order,
  settingFaults: (change: NonNullable<Configuration["settings"]>) => readonly Fault[],
): Fault[] {
  const { configuration } = order;
  const next = planned(present, order);
  return [
    ...userFaults(present.users, configuration),
    ...tokenFaults(present, next, order),
    ...settingFaults(configuration.settings ?? {}).map((one) => ({
      ...one,
      pointer: `/settings${one.pointer}`,
    })),
  ];
}

/** No file shuts the last administrator out. It is the only fault that a change of others, made meanwhile, can cause. */
export function administratorFaults(found: ShutOut | null, { users = [] }: Configuration): Fault[] {
  if (found === null) return [];
  const detail = `would leave no administrator of this device who can sign in: ${found.why}; give one of them a password_hash`;
  const last = found.last.map(({ username }) => username);
  const places = users.flatMap(({ name }, index) => (last.includes(name) ? [`/users/${index}`] : []));
  // Users who are not named at all are reported at this member.
  const pointers = places.length > 0 ? places : ["/users_not_named"];
  return pointers.map((pointer) => fault(pointer, "last_admin", detail));
}

function userFaults({ accounts }: AccountsState, { users = [] }: Configuration): Fault[] {
  const known = new Set(accounts.map(({ username }) => username));
  return users.flatMap((user, index) => {
    const at = (member: string) => `/users/${index}/${member}`;
    const isRepeated = users.findIndex(({ name }) => name === user.name) < index;
    return [
      ...(isRepeated ? [fault(at("name"), "repeated", `names ${user.name} a second time`)] : []),
      ...(known.has(user.name) ? [] : missing(user).map((name) => fault(at(name), "required", isNew(user)))),
      ...costFaults(user, at("password_hash")),
      ...providerFaults(user, accounts, at),
    ];
  });
}

function missing({ role, password_hash }: ConfiguredUser): string[] {
  return Object.entries({ role, password_hash }).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  );
}

function isNew({ name }: ConfiguredUser): string {
  return `is missing, and there is no user ${name} yet`;
}

/** The provider keeps their password, second factor and role. */
function providerFaults(
  user: ConfiguredUser,
  accounts: readonly Account[],
  at: (member: string) => string,
): Fault[] {
  const provider = accounts.find(({ username }) => username === user.name)?.provider ?? null;
  if (provider === null) return [];
  const detail = `cannot be set: ${user.name} signs in at ${provider.issuer}`;
  return Object.entries({
    role: user.role,
    password_hash: user.password_hash,
    second_factor: user.second_factor,
  })
    .filter(([, value]) => value !== undefined)
    .map(([member]) => fault(at(member), "account_of_provider", detail));
}

/** The device replaces such a hash at the next sign-in, and each later run would bring it back. */
function costFaults({ password_hash = "" }: ConfiguredUser, pointer: string): Fault[] {
  const advice = "make it with `steward hash-password`";
  const weak = `costs less than m=19456,t=2, so it is too easy to guess at; ${advice}`;
  const costly = `has m times t above ${mostWork}, so each try of it would keep others waiting; ${advice}`;
  if (password_hash !== "" && isWeaker(password_hash)) return [fault(pointer, "too_weak", weak)];
  return isCostlier(password_hash) ? [fault(pointer, "too_costly", costly)] : [];
}

function tokenFaults(present: Present, next: Present, order: Order): Fault[] {
  const { tokens = [] } = order.configuration;
  const accounts = new Map(next.users.accounts.map((account) => [account.username, account]));
  const known = new Set(present.tokens.tokens.map(({ hash }) => hash));
  const crowded = new Set(
    next.users.accounts
      .filter(({ id }) => next.tokens.tokens.filter(({ user_id }) => user_id === id).length > tokensPerUser)
      .map(({ username }) => username),
  );
  return tokens.flatMap((token, index) => {
    const at = (member: string) => `/tokens/${index}/${member}`;
    const owner = accounts.get(token.user);
    const isRepeated = tokens.findIndex(({ token_hash }) => token_hash === token.token_hash) < index;
    const isFresh = !known.has(token.token_hash);
    return [
      ...(isRepeated ? [fault(at("token_hash"), "repeated", "is that of another token of this file")] : []),
      ...(owner ? [] : [fault(at("user"), "not_found", absent(token))]),
      ...(owner?.provider ? [fault(at("user"), "account_of_provider", noTokens(token))] : []),
      ...rightFaults(token, owner, at),
      ...(isFresh && crowded.has(token.user) ? [fault(at("user"), "token_limit_reached", tooMany)] : []),
      ...endFaults(token, { isFresh, order, at }),
    ];
  });
}

const tooMany = `would have more than ${tokensPerUser} API tokens, which is the maximum`;

function noTokens({ user }: ConfiguredToken): string {
  return `names ${user}, who signs in at a provider and can have no API tokens here`;
}

function absent({ user }: ConfiguredToken): string {
  return `names ${user}, who is not a user of this device and would not become one`;
}

function rightFaults(
  token: ConfiguredToken,
  owner: Account | undefined,
  at: (member: string) => string,
): Fault[] {
  const faults = rightsFaults(rightsWanted(token), owner, token.no_expiry ?? false);
  const foreign = owner ? foreignScopes(token.scopes, owner.role) : [];
  const detail = `has ${foreign.join(", ")}, which the owner's role "${owner?.role}" does not permit`;
  return [
    ...faults.map(({ member, detail }) => fault(at(member), "not_allowed", detail)),
    ...(foreign.length > 0 ? [fault(at("scopes"), "forbidden", detail)] : []),
  ];
}

function endFaults(
  { expires_in, expires_at, no_expiry }: ConfiguredToken,
  { isFresh, order, at }: { isFresh: boolean; order: Order; at: (member: string) => string },
): Fault[] {
  const { shortest, longest } = tokenLifeSeconds;
  const seconds = durationSeconds(expires_in ?? "90d");
  const ends = Object.entries({ expires_in, expires_at, no_expiry }).filter(([, end]) => end !== undefined);
  const [[second] = []] = ends.slice(1);
  if (second !== undefined)
    return [fault(at(second), "inconsistent", "is a second end of the token; give one of the three")];
  if (seconds < shortest || seconds > longest)
    return [fault(at("expires_in"), "out_of_range", "must be 1h to 366d")];
  if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at)))
    return [fault(at("expires_at"), "format", "is not a calendar date")];
  // An existing token may have expired since the file was written.
  if (expires_at === undefined || !isFresh || !order.isClockTrusted) return [];
  const left = (Date.parse(expires_at) - Date.parse(order.at)) / 1_000;
  if (left <= 0) return [fault(at("expires_at"), "out_of_range", "is in the past")];
  return left > longest ? [fault(at("expires_at"), "out_of_range", "is more than 366 days away")] : [];
}

function fault(pointer: string, code: string, detail: string): Fault {
  return { pointer, code, detail, as: "validation_failed", sentence: `${pointer} ${detail}` };
}
