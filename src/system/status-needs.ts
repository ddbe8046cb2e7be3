import type { ClockInShort } from "../contract/clock/clock-in-short.ts";
import { gravestFirst, line, needFinding, needOf } from "../contract/finding.ts";
import type {
  ClockSummary,
  FailedRelease,
  HostSettings,
  Need,
  Release,
  Settings,
  Status,
  Updates,
} from "../contract/types.ts";
import { updateKinds } from "../contract/update-kinds.ts";

/** Facts about users and their tokens. */
export interface PeopleFacts {
  readonly figures: NonNullable<Status["people"]>;
  /** User names of locked users. */
  readonly locked: readonly string[];
  /** User names of users who must have a second factor and have none. */
  readonly withoutFactor: readonly string[];
  /** User names of enabled administrators who have none and need not have one. */
  readonly unprotectedAdmins: readonly string[];
  /** Living API tokens of `withoutFactor`, which are refused. */
  readonly refusedTokens: number;
  /** The ends of API tokens that are in use and have few days left, the first first. */
  readonly tokenEnds: readonly string[];
}

export interface NeedsInput {
  /** The findings of the health checks. */
  readonly troubles: readonly Need[];
  readonly clock: ClockInShort;
  readonly clockWord: Status["clock"]["word"];
  readonly updates: Updates;
  readonly ota: Settings["update"]["ota"];
  readonly people: PeopleFacts;
  readonly isSetUp: boolean;
  readonly device: Pick<Settings["device"], "name" | "not_needed">;
  readonly host: Pick<Status["host"], "hostname" | "uptime_seconds">;
  readonly support: Pick<HostSettings, "support" | "support_until">;
  /** The caller may see the names of users. */
  readonly mayNameUsers: boolean;
}

/** Days before its end from which on an API token in use is reported. */
export const tokenNoticeDays = 7;

/** The needs of the device for a person, the gravest first. */
export function needsOf(input: NeedsInput): Need[] {
  const { troubles } = input;
  const found = [
    ...troubles.filter(({ code }) => code !== "clock"),
    ...(input.isSetUp ? [] : [needOf(setupFinding())]),
    ...clockNeed(input),
    ...updateNeeds(input),
    ...peopleNeeds(input),
    ...supportNeed(input),
    ...firstRunNeeds(input),
  ];
  return gravestFirst(found);
}

function attention(...given: Parameters<typeof needFinding>): Need {
  return needOf(needFinding(...given));
}

export function setupFinding(): ReturnType<typeof needFinding> {
  const particulars =
    "`steward user add NAME --role admin` creates one. Until there is one, API and console only offer to make one.";
  return needFinding("setup_required", {}, particulars, "steward user add admin --role admin --generate");
}

/** Nothing confirms the time, but a person with a watch can. */
const unanswered: readonly ClockSummary["code"][] = [
  "no_servers",
  "no_time_source",
  "no_majority",
  "too_few",
  "below_floor",
  "beyond_ceiling",
  "manual",
];

/** Seconds after a boot before a person is asked for the time: until then network and time servers may come up. */
const settlingSeconds = 120;

/**
 * A health check reports failing servers and another program that sets the clock; an unconfirmed clock is a need even
 * so.
 */
function clockNeed({ troubles, clock, clockWord: word, host }: NeedsInput): Need[] {
  const trouble = troubles.find(({ code }) => code === "clock");
  if (trouble === undefined && (word === "in_sync" || word === "set_by_hand")) return [];
  const { state, trust, offset_seconds, summary } = clock;
  const { uptime_seconds: uptimeSeconds } = host;
  const facts = { word, state, trust, offset_seconds, ...trouble?.facts };
  const need = { ...attention("clock", facts, summary.detail), ...trouble, facts };
  const isByHand = trust === "none" && unanswered.includes(summary.code) && uptimeSeconds >= settlingSeconds;
  return [isByHand ? { ...need, remedy: line("steward time set --yes TIME") } : need];
}

function updateNeeds({ updates, ota }: NeedsInput): Need[] {
  const { available, failed, held, postponed, schedule, trial, trust } = updates;
  const offers = [available.rules, available.binary].filter((release) => release !== null);
  const failures = updateKinds.flatMap(
    (kind) => failed.findLast((one) => one.kind === kind && one.state === "open") ?? [],
  );
  const offered = offers.flatMap((release): Need[] => {
    const { id, kind, name, version } = release;
    const isSeenTo = held.some((one) => one.id === id) || postponed[kind] !== null;
    if (isSeenTo || trial !== null || isAutomatic(release, ota, trust.established)) return [];
    const apply = `steward update apply ${kind}`;
    return [attention("update_available", { kind, name, version }, `\`${apply}\` applies it.`, apply)];
  });
  const needs = [...failures.map(failureNeed), ...offered];
  const isWanted = schedule.enabled || ota.server !== "";
  if (!isWanted || !trust.installed || trust.confirmed) return needs;
  const confirm = "steward update trust confirm";
  const { fingerprint } = trust;
  const particulars = `\`${confirm}\` confirms it.`;
  return [...needs, attention("update_trust_unconfirmed", { fingerprint }, particulars, confirm)];
}

/** A release that was undone: only a newer one resolves it, and a person may know enough. */
function failureNeed(release: FailedRelease): Need {
  const { id: release_id, kind, name, version, at, reason } = release;
  const facts = { release_id, kind, name, version, failed_at: at, reason_code: reason.code };
  const particulars = `It failed at ${at}: ${reason.detail} \`steward update dismiss ${kind}\` ends this now.`;
  return attention("update_failed", facts, particulars);
}

function isAutomatic({ kind }: Release, ota: NeedsInput["ota"], isTrustEstablished: boolean): boolean {
  if (!ota.enabled) return false;
  return kind === "rules" ? ota.auto_update_rules : ota.auto_update_binary && isTrustEstablished;
}

function peopleNeeds({ people, mayNameUsers }: NeedsInput): Need[] {
  const { locked, withoutFactor, refusedTokens, tokenEnds } = people;
  const needs: Need[] = [];
  const about = (users: readonly string[], more: object = {}) => ({
    ...{ count: users.length, ...more },
    ...(mayNameUsers && { users: [...users] }),
  });
  if (locked.length > 0) {
    const particulars = "`steward events` says where they came from; `steward user unlock NAME` ends it.";
    const [first] = mayNameUsers ? locked : [];
    const unlock = first && `steward user unlock ${first}`;
    needs.push(attention("users_locked", about(locked), particulars, unlock));
  }
  if (withoutFactor.length > 0) {
    const tokens =
      refusedTokens === 0
        ? ""
        : ` ${refusedTokens} of their API tokens ${refusedTokens === 1 ? "is" : "are"} refused.`;
    const facts = about(withoutFactor, { tokens: refusedTokens });
    needs.push(attention("two_factor_missing", facts, `security.require_2fa requires it.${tokens}`));
  }
  const [firstEnd] = tokenEnds;
  if (firstEnd !== undefined) {
    const facts = { count: tokenEnds.length, first_ends_at: firstEnd };
    const list = "steward token list";
    const particulars = `\`${list}\` shows which end within ${tokenNoticeDays} days.`;
    needs.push(attention("tokens_ending", facts, particulars, list));
  }
  return needs;
}

function supportNeed({ support: { support, support_until } }: NeedsInput): Need[] {
  if (support_until === null || (support !== "ending" && support !== "ended")) return [];
  const advice = support === "ended" ? "Ask its maker what to do." : "";
  return [attention(`support_${support}`, { support_until }, advice)];
}

/** The parts of the first run that were left for later, until they are done, or declared as not needed here. */
function firstRunNeeds(input: NeedsInput): Need[] {
  const { isSetUp, device, host, mayNameUsers, people, troubles, updates, ota } = input;
  if (!isSetUp) return [];
  const needs: Need[] = [];
  const { unprotectedAdmins: users } = people;
  if (users.length > 0) {
    const facts = { count: users.length, ...(mayNameUsers && { users: [...users] }) };
    needs.push(attention("second_factor_advised", facts, "`steward user 2fa setup NAME` sets one up."));
  }
  if (device.name === "") {
    const particulars = "`steward system set device.name=NAME` names it.";
    needs.push(attention("device_unnamed", { hostname: host.hostname }, particulars));
  }
  const isUpdateTold = troubles.some(({ code }) => code === "updates");
  if (ota.server === "") {
    const particulars = "`steward system set update.ota.server=URL` sets one.";
    needs.push(attention("updates_not_set_up", { missing: "server" }, particulars));
  } else if (!updates.trust.installed && !isUpdateTold) {
    const particulars = "`steward update trust install FILE` installs one on the device.";
    needs.push(attention("updates_not_set_up", { missing: "root" }, particulars));
  }
  return needs.filter(({ code }) => !device.not_needed.some((one) => one === code));
}
