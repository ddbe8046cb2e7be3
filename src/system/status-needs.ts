import { gravestFirst, line, needFinding, needOf } from "../contract/finding.ts";
import type { NeedCode } from "../contract/need-areas.ts";
import type {
  ClockSummary,
  FailedRelease,
  HostSettings,
  Need,
  Release,
  Settings,
  Status,
  TimeSync,
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
  readonly clock: TimeSync;
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

/** A need that no health check finds. `typed`: the line that resolves it. */
function attention(code: NeedCode, facts: object, detail: string, typed?: string): Need {
  return needOf(needFinding(code, facts, detail, typed === undefined ? null : line(typed)));
}

export function setupFinding(): ReturnType<typeof needFinding> {
  const detail =
    "This device has no administrator yet: `steward user add NAME --role admin`. Until there is one, API and console only offer to make one.";
  return needFinding("setup_required", {}, detail, line("steward user add admin --role admin --generate"));
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
  const { detail = summary.detail, remedy = null } = trouble ?? {};
  const isByHand = trust === "none" && unanswered.includes(summary.code) && uptimeSeconds >= settlingSeconds;
  return [
    needOf(needFinding("clock", facts, detail, isByHand ? line("steward time set --yes TIME") : remedy)),
  ];
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
    const facts = { kind, name, version };
    const detail = `${releaseWords(release)} is available and waits for an administrator: \`${apply}\`.`;
    return [attention("update_available", facts, detail, apply)];
  });
  const needs = [...failures.map(failureNeed), ...offered];
  const isWanted = schedule.enabled || ota.server !== "";
  if (!isWanted || !trust.installed || trust.confirmed) return needs;
  const confirm = "steward update trust confirm";
  const detail = `The root of trust of updates is installed and no administrator has confirmed it: compare its fingerprint, and \`${confirm}\`.`;
  const facts = { fingerprint: trust.fingerprint };
  return [...needs, attention("update_trust_unconfirmed", facts, detail, confirm)];
}

/** A release that was undone: only a newer one resolves it, and a person may know enough. */
function failureNeed(release: FailedRelease): Need {
  const { id: release_id, kind, name, version, at, reason } = release;
  const facts = { release_id, kind, name, version, failed_at: at, reason_code: reason.code };
  const detail = `${releaseWords(release)} failed on this device at ${at} and was undone. ${reason.detail} It is not applied again without a request, and a newer release that works here ends this. To end it now: \`steward update dismiss ${kind}\`.`;
  return attention("update_failed", facts, detail);
}

/** The beginning of a sentence about a release. */
function releaseWords({ kind, name, version }: Pick<Release, "kind" | "name" | "version">): string {
  return kind === "rules" ? `The rules ${name} ${version}` : `${name} ${version}`;
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
  const named = (users: readonly string[]) =>
    mayNameUsers ? nameList(users) : countOf(users.length, "user");
  if (locked.length > 0) {
    const detail = `Sign-in is locked for a while, after too many wrong passwords or codes: ${named(locked)}. \`steward events\` says where they came from; \`steward user unlock NAME\` ends it.`;
    const [first] = mayNameUsers ? locked : [];
    const unlock = first && `steward user unlock ${first}`;
    needs.push(attention("users_locked", about(locked), detail, unlock));
  }
  if (withoutFactor.length > 0) {
    const tokens =
      refusedTokens === 0 ? "" : `, and ${countOf(refusedTokens, "API token")} of theirs are refused`;
    const detail = `A second factor is required (security.require_2fa) and missing: ${named(withoutFactor)}. Until they enrol they can do nothing else${tokens}.`;
    needs.push(attention("two_factor_missing", about(withoutFactor, { tokens: refusedTokens }), detail));
  }
  const [firstEnd] = tokenEnds;
  if (firstEnd !== undefined) {
    const facts = { count: tokenEnds.length, first_ends_at: firstEnd };
    const detail = `${countOf(tokenEnds.length, "API token")} in use ends within ${tokenNoticeDays} days, the first at ${firstEnd}: its owner can make a new one. See \`steward token list\`.`;
    needs.push(attention("tokens_ending", facts, detail, "steward token list"));
  }
  return needs;
}

function supportNeed({ support: { support, support_until } }: NeedsInput): Need[] {
  if (support !== "ending" && support !== "ended") return [];
  const detail =
    support === "ended"
      ? `The maker's support of this device ended on ${support_until}: updates that repair faults are not to be expected any more. Ask its maker what to do.`
      : `The maker's support of this device ends on ${support_until}. Plan for its successor.`;
  return [attention(`support_${support}`, { support_until }, detail)];
}

/** The parts of the first run that were left for later, until they are done, or declared as not needed here. */
function firstRunNeeds(input: NeedsInput): Need[] {
  const { isSetUp, device, host, mayNameUsers, people, troubles, updates, ota } = input;
  if (!isSetUp) return [];
  const needs: Need[] = [];
  const { unprotectedAdmins: users } = people;
  if (users.length > 0) {
    const facts = { count: users.length, ...(mayNameUsers && { users: [...users] }) };
    const named = mayNameUsers ? nameList(users) : countOf(users.length, "administrator");
    const detail = `Only a password protects this device, because a second factor is missing: ${named}. \`steward user 2fa setup NAME\` begins with one.`;
    needs.push(attention("second_factor_advised", facts, detail));
  }
  if (device.name === "") {
    const detail = `This device has no name of its own and is shown as "${host.hostname}": \`steward system set device.name=NAME\`.`;
    needs.push(attention("device_unnamed", { hostname: host.hostname }, detail));
  }
  const isUpdateTold = troubles.some(({ code }) => code === "updates");
  if (ota.server === "") {
    const detail =
      "No update server is set, so this device gets no updates: `steward system set update.ota.server=URL`.";
    needs.push(attention("updates_not_set_up", { missing: "server" }, detail));
  } else if (!updates.trust.installed && !isUpdateTold) {
    const detail =
      "No root of trust is installed, so no update is accepted: `steward update trust install FILE` on the device.";
    needs.push(attention("updates_not_set_up", { missing: "root" }, detail));
  }
  return needs.filter(({ code }) => !device.not_needed.some((one) => one === code));
}

/** Names in a detail before the rest is only counted. */
const mostNames = 5;

function nameList(names: readonly string[]): string {
  const rest = names.length - mostNames;
  return [...names.slice(0, mostNames), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
