import type { Settings } from "../contract/types.ts";
import { mergeSettings } from "../settings/changes.ts";
import type { Order, Present } from "./order.ts";
import { plannedTokens } from "./planned-tokens.ts";
import { plannedUsers } from "./planned-users.ts";

/** What is to be after the order; each part is the same object as before where nothing changes in it. */
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
