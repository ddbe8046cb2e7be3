import type { StoredApiToken } from "../../accounts/tokens/api-token.ts";
import type { Account, AccountsState } from "../../accounts/users/account.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { ConfigurationChange } from "../../contract/types.ts";
import { withoutSecrets } from "../../store/validation/secrets.ts";
import { at } from "../../store/validation/validation-words.ts";
import { changedMembers, dotted } from "../../system/settings/changes.ts";
import type { Present } from "./order.ts";

type Member = ConfigurationChange["members"][number];

/** The differences as people read them: no secret, and of a secret only that it differs. */
export function changesBetween(before: Present, after: Present): ConfigurationChange[] {
  return [
    ...userChanges(before.users, after.users),
    ...tokenChanges(before, after),
    ...settingChanges(before, after),
  ];
}

function userChanges(before: AccountsState, after: AccountsState): ConfigurationChange[] {
  return compared(before.accounts, after.accounts, ({ id }) => id).flatMap(([was, is]) => {
    const { username } = is ?? was;
    return change(
      "user",
      username,
      [was, is],
      [
        ...shown([was, is], ["role", "display_name", "enabled"]),
        ...secret("password", was?.password_hash !== is?.password_hash),
        ...secret("second_factor", was?.two_factor?.sealed_secret !== is?.two_factor?.sealed_secret),
      ],
    );
  });
}

function tokenChanges(before: Present, after: Present): ConfigurationChange[] {
  const names = new Map([...before.users.accounts, ...after.users.accounts].map(nameById));
  const view = (token: StoredApiToken | undefined) =>
    token && {
      user: names.get(token.user_id) ?? token.user_id,
      name: token.name,
      scopes: token.scopes,
      sources: token.sources,
      is_fleet: token.is_fleet,
      pages: token.pages,
      expires_at: token.is_dated ? token.expires_at : null,
      is_suspended: token.suspended || null,
    };
  return compared(before.tokens.tokens, after.tokens.tokens, ({ hash }) => hash).flatMap(([was, is]) => {
    const { user_id, name } = is ?? was;
    const both = [view(was), view(is)] as const;
    const label = `${names.get(user_id) ?? user_id}/${name}`;
    return change(
      "token",
      label,
      [was, is],
      shown(both, ["user", "name", "scopes", "sources", "is_fleet", "pages", "expires_at", "is_suspended"]),
    );
  });
}

function settingChanges(before: Present, after: Present): ConfigurationChange[] {
  const [was, is] = [before, after].map(({ settings }) => withoutSecrets(settingsSchema, settings));
  const members = changedMembers(settingsSchema, before.settings, after.settings).map(({ pointer }) => ({
    member: dotted(pointer),
    before: textOf(at(was, pointer)),
    after: textOf(at(is, pointer)),
  }));
  return members.length === 0 ? [] : [{ subject: "settings", name: "", action: "changed", members }];
}

function nameById({ id, username }: Account): readonly [string, string] {
  return [id, username];
}

/** The pairs that are not the same object: removed, changed or new. One of the two is present. */
type Pair<T> = readonly [was: T, is: T] | readonly [was: T, is: undefined] | readonly [was: undefined, is: T];

function compared<T>(before: readonly T[], after: readonly T[], keyOf: (one: T) => string): Pair<T>[] {
  const [former, next] = [before, after].map((list) => new Map(list.map((one) => [keyOf(one), one])));
  const changed = before.flatMap((was): Pair<T>[] => {
    const is = next?.get(keyOf(was));
    return is === was ? [] : [[was, is] as Pair<T>];
  });
  const fresh = after.flatMap((is): Pair<T>[] => (former?.has(keyOf(is)) ? [] : [[undefined, is]]));
  return [...changed, ...fresh];
}

function change(
  subject: ConfigurationChange["subject"],
  name: string,
  [was, is]: readonly [unknown, unknown],
  members: readonly Member[],
): ConfigurationChange[] {
  const action = was === undefined ? "created" : is === undefined ? "removed" : "changed";
  if (action === "removed") return [{ subject, name, action, members: [] }];
  return members.length === 0 ? [] : [{ subject, name, action, members: [...members] }];
}

function shown<T extends object>(
  [was, is]: readonly [T | undefined, T | undefined],
  names: readonly (keyof T & string)[],
): Member[] {
  return names
    .map((member) => ({ member, before: textOf(was?.[member]), after: textOf(is?.[member]) }))
    .filter(({ before, after }) => before !== after && !(before === null && after === ""));
}

function secret(member: string, isOther: boolean): Member[] {
  return isOther ? [{ member, before: null, after: null, is_secret: true }] : [];
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
