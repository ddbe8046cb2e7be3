import type { OwnNeedCode } from "../../contract/findings.ts";
import type { ProductNeedCode } from "../../contract/need-areas.ts";
import type { Need } from "../../contract/types.ts";

type Query = Readonly<Record<string, string>>;

export interface Remedy {
  readonly to: string;
  readonly query?: Query;
  /** Replaces `query` where the need is about one user whose name is known. */
  readonly queryOfOne?: (username: string) => Query;
}

const onHost = { to: "/system" } as const;
const onUpdates = { to: "/updates" } as const;
const onSettings = { to: "/system/settings" } as const;
const onReceivers = { ...onSettings, query: { open: "notifications" } } as const;
const onPeople = { to: "/users" } as const;

type OnHost = ProductNeedCode | "clock" | "support_ending" | "support_ended";

/** By code: a need that no health check finds does not compile without one, but for those whose place is the device's page. */
const remedies: Readonly<
  Partial<Record<Need["code"], Remedy>> & Record<Exclude<OwnNeedCode, OnHost>, Remedy>
> = {
  rescue: { to: "/system/logs" },
  setup_required: onPeople,
  no_administrator: onPeople,
  updates: onUpdates,
  update_available: onUpdates,
  update_failed: { ...onUpdates, query: { open: "history" } },
  update_withdrawn: onUpdates,
  update_trust_unconfirmed: { ...onUpdates, query: { open: "trust" } },
  users_locked: {
    ...onPeople,
    query: { state: "locked" },
    queryOfOne: (username) => ({ q: username, unlock: username }),
  },
  two_factor_missing: { ...onPeople, query: { factor: "none" } },
  second_factor_advised: { to: "/setup", query: { step: "factor" } },
  device_unnamed: { to: "/setup", query: { step: "device" } },
  updates_not_set_up: { to: "/setup", query: { step: "updates" } },
  tokens_ending: { to: "/account", query: { open: "tokens" } },
  no_receiver: onReceivers,
  receiver_failing: onReceivers,
};

/** The parts of the agent, with what is wrong with each, are with the device; the product's own pages are its own. */
export function remedyOf({ code, facts }: Pick<Need, "code" | "facts">): Remedy {
  const { page, path } = facts as { page?: string; path?: string };
  return page === undefined ? (remedies[code] ?? onHost) : { to: `/product/${page}?to=${path}` };
}

export function remedyQuery(need: Need): Query {
  const { query = {}, queryOfOne } = remedyOf(need);
  const { users: [username, ...others] = [] } = need.facts as { users?: readonly string[] };
  return queryOfOne && username !== undefined && others.length === 0 ? queryOfOne(username) : query;
}
