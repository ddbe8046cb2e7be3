import { apiTokensKind } from "../../accounts/tokens/api-token.ts";
import { accountsKind } from "../../accounts/users/account.ts";
import { StewardError } from "../../contract/errors.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { Settings } from "../../contract/types.ts";
import { validatorOf } from "../../store/documents/document-kind.ts";
import { mergeSettings } from "../../system/settings/changes.ts";
import type { Order, Present } from "./order.ts";
import { plannedTokens } from "./planned-tokens.ts";
import { plannedUsers } from "./planned-users.ts";

/** The state after the order; each unchanged part is the same object as before. */
export function planned(present: Present, order: Order): Present {
  const users = plannedUsers(present.users, order);
  return {
    users,
    tokens: plannedTokens(present.tokens, users, order),
    settings: plannedSettings(present.settings, order),
  };
}

export function plannedSettings(present: Settings, { configuration }: Order): Settings {
  const next = mergeSettings(present, configuration.settings ?? {});
  return JSON.stringify(next) === JSON.stringify(present) ? present : next;
}

/** Throws `state_damaged` for a state that the next start would refuse, before it goes to disk: another release's order. */
export function requireSound({ users, tokens, settings }: Present): void {
  const parts = [
    { kind: accountsKind, value: users },
    { kind: apiTokensKind, value: tokens },
    { kind: { name: "settings", schema: settingsSchema }, value: settings },
  ];
  for (const { kind, value } of parts) {
    const [problem] = validatorOf(kind)(value);
    if (problem === undefined) continue;
    const text = `${kind.name}${problem.pointer} ${problem.detail}: the configuration would damage the state. Nothing was changed.`;
    throw new StewardError("state_damaged", text);
  }
}
