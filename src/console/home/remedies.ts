import type { Need, Role } from "../../contract/types.ts";

/** The four tiles of the page. */
export type Tile = "clock" | "updates" | "people" | "host";

/** Where a need is seen to. */
export interface Remedy {
  /** The tile that it changes; null: nothing that a tile tells of is wrong. */
  readonly tile: Tile | null;
  readonly to: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Who may go there; absent: everybody. */
  readonly roles?: readonly Role[];
}

const onHost = { tile: "host", to: "/system" } as const;
const onUpdates = { tile: "updates", to: "/updates" } as const;
const onPeople = { tile: "people", to: "/users", roles: ["admin"] } as const;

/** By code: a need without a remedy does not compile. */
export const remedies: Readonly<Record<Need["code"], Remedy>> = {
  rescue: { tile: "host", to: "/system/logs" },
  setup_required: onPeople,
  program: onHost,
  disk: onHost,
  state_document: onHost,
  event_log: onHost,
  two_factor_key: onHost,
  clock: { tile: "clock", to: "/system" },
  https: onHost,
  updates: onUpdates,
  update_available: onUpdates,
  update_failed: { ...onUpdates, query: { open: "history" } },
  update_trust_unconfirmed: { ...onUpdates, query: { open: "trust" } },
  users_locked: { ...onPeople, query: { state: "locked" } },
  two_factor_missing: { ...onPeople, query: { factor: "none" } },
  second_factor_advised: { tile: "people", to: "/account" },
  device_unnamed: { tile: null, to: "/system/settings" },
  updates_not_set_up: { tile: "updates", to: "/setup", query: { step: "updates" }, roles: ["admin"] },
  tokens_ending: { tile: "people", to: "/account" },
  support_ending: onHost,
  support_ended: onHost,
};
