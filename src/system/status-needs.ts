import type { ClockInShort } from "../contract/clock/clock-in-short.ts";
import { gravestFirst, needFinding, needOf } from "../contract/finding.ts";
import type {
  ClockSummary,
  FailedRelease,
  HostSettings,
  Need,
  PassedOver,
  Release,
  Settings,
  Status,
  Updates,
} from "../contract/types.ts";
import { updateKinds } from "../contract/update-kinds.ts";
import { holdRemedy } from "../contract/updates/update-holds.ts";
import { isRecall } from "../contract/updates/update-summaries.ts";
import { lasting } from "../store/documents/lasting.ts";
import { createDerived } from "../store/documents/look-up.ts";

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
  /** A way back from the installed release of a kind; null: there is none. */
  readonly wayBack: (kind: Release["kind"]) => "rollback" | "rollback_as_root" | null;
  readonly ota: Settings["update"]["ota"];
  readonly people: PeopleFacts;
  readonly isSetUp: boolean;
  readonly device: Pick<Settings["device"], "name" | "not_needed">;
  readonly host: Pick<Status["host"], "hostname" | "uptime_seconds">;
  readonly support: Pick<HostSettings, "support" | "support_until">;
  readonly receivers: {
    /** Someone is named who gets messages, in the settings or in the host file. */
    readonly areNamed: boolean;
    readonly troubles: readonly ReceiverTrouble[];
  };
  /** Those that the product reports. */
  readonly reported: readonly Need[];
  /** The caller may see the names of users. */
  readonly mayNameUsers: boolean;
}

/** A receiver that no message has reached for an hour, or one that has refused messages. */
export interface ReceiverTrouble {
  readonly name: string;
  /** The way in which it fails or refused, in English. */
  readonly detail: string;
  readonly kind?: "refused";
}

/** Days before its end from which on an API token in use is reported. */
export const tokenNoticeDays = 7;

export type NeedsOf = (input: NeedsInput) => readonly Need[];

/**
 * The needs of the device for a person, the gravest first. Those that follow from few facts stay the same values as long
 * as these do: a status is asked for each few seconds, and their sentences are most of its cost.
 */
export function createNeeds(): NeedsOf {
  const parts = [clockPart(), peoplePart(), supportPart(), firstRunPart()] as const;
  const [clockNeed, peopleNeeds, supportNeed, firstRunNeeds] = parts;
  return (input) => {
    const { troubles } = input;
    const found = [
      ...troubles.filter(({ code }) => code !== "clock"),
      ...(input.isSetUp ? [] : [needOf(setupFinding())]),
      ...clockNeed(input),
      ...updateNeeds(input),
      ...peopleNeeds(input),
      ...supportNeed(input),
      ...firstRunNeeds(input),
      ...receiverNeeds(input),
      ...input.reported,
    ];
    return gravestFirst(found).map(lasting);
  };
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
  "too_few_authenticated",
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
function clockPart(): NeedsOf {
  const attentionTo = createDerived(
    (
      word: NeedsInput["clockWord"],
      state: ClockInShort["state"],
      trust: ClockInShort["trust"],
      offset_seconds: number | null,
      detail: string,
      isByHand: boolean,
    ) => {
      const remedy = isByHand ? "steward time set --yes TIME" : undefined;
      return [attention("clock", { word, state, trust, offset_seconds }, detail, remedy)] as const;
    },
  );
  return ({ troubles, clock, clockWord: word, host }) => {
    const trouble = troubles.find(({ code }) => code === "clock");
    if (trouble === undefined && (word === "in_sync" || word === "set_by_hand")) return [];
    const { state, trust, offset_seconds, summary } = clock;
    const isUnanswered = trust === "none" && unanswered.includes(summary.code);
    const isByHand = isUnanswered && host.uptime_seconds >= settlingSeconds;
    const plain = attentionTo(word, state, trust, offset_seconds, summary.detail, isByHand);
    if (trouble === undefined) return plain;
    const [need] = plain;
    const facts = { ...need.facts, ...trouble.facts };
    return [{ ...need, ...trouble, facts, ...(isByHand && { remedy: need.remedy }) }];
  };
}

function updateNeeds({ updates, ota, wayBack }: NeedsInput): Need[] {
  const { available, failed, held, passed_over = [], postponed, schedule, trial, trust } = updates;
  const offers = [available.rules, available.binary].filter((release) => release !== null);
  const failures = updateKinds.flatMap(
    (kind) => failed.findLast((one) => one.kind === kind && one.state === "open") ?? [],
  );
  const offered = offers.flatMap((release): Need[] => {
    const { id, kind, name, version } = release;
    const isSeenTo = held.some((one) => one.id === id) || postponed[kind] !== null;
    if (isSeenTo || trial !== null || !isApplicable(release)) return [];
    if (isAutomatic(release, ota, trust.established)) return [];
    const apply = `steward update apply ${kind}`;
    return [attention("update_available", { kind, name, version }, `\`${apply}\` applies it.`, apply)];
  });
  const recalls = updateKinds.flatMap((kind) => {
    const recall = passed_over.find((one) => one.kind === kind && isRecall(one));
    return recall ? [recallNeed(kind, recall, { updates, wayBack })] : [];
  });
  const needs = [...recalls, ...failures.map(failureNeed), ...offered];
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

/** The installed release was withdrawn. It cannot be dismissed: it ends with the release, or with its withdrawal. */
function recallNeed(
  kind: Release["kind"],
  { name, version, detail }: PassedOver,
  { updates: { available }, wayBack }: Pick<NeedsInput, "updates" | "wayBack">,
): Need {
  const facts = { kind, name: name ?? "", version: version ?? "", detail: detail ?? "" };
  const offer = available[kind];
  const way = offer && isApplicable(offer) ? "apply" : wayBack(kind);
  if (way === null)
    return attention("update_withdrawn", facts, "Now neither is possible: wait for a newer one.");
  const remedy = way === "apply" ? `steward update apply ${kind}` : `steward update rollback ${kind}`;
  const typed = way === "rollback_as_root" ? `${remedy} --as-root` : remedy;
  return attention("update_withdrawn", facts, `\`${typed}\` does that now.`, typed);
}

/** A request would apply it, or try to: a reason that blocks or refuses it is a need of its own. */
function isApplicable({ hold }: Release): boolean {
  if (hold === null || hold.code === "busy" || hold.code === "download_failed") return true;
  return hold.code !== "refused" && holdRemedy(hold.code) === "apply";
}

function isAutomatic({ kind }: Release, ota: NeedsInput["ota"], isTrustEstablished: boolean): boolean {
  if (!ota.enabled) return false;
  return kind === "rules" ? ota.auto_update_rules : ota.auto_update_binary && isTrustEstablished;
}

function peoplePart(): NeedsOf {
  const needs = createDerived(peopleNeeds);
  return ({ people, mayNameUsers }) => needs(people, mayNameUsers);
}

function peopleNeeds(people: PeopleFacts, mayNameUsers: boolean): Need[] {
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

function supportPart(): NeedsOf {
  const needs = createDerived(supportNeed);
  return ({ support: { support, support_until } }) => needs(support, support_until);
}

function supportNeed(support: HostSettings["support"], support_until: HostSettings["support_until"]): Need[] {
  if (support_until === null || (support !== "ending" && support !== "ended")) return [];
  const advice = support === "ended" ? "Ask its maker what to do." : "";
  return [attention(`support_${support}`, { support_until }, advice)];
}

function receiverNeeds({ receivers }: NeedsInput): Need[] {
  return receivers.troubles.map((trouble) => {
    const test = `steward notify test ${trouble.name}`;
    const particulars = trouble.kind ? `\`${test}\` ends this when it succeeds.` : `\`${test}\` tries now.`;
    return attention("receiver_failing", { ...trouble }, particulars, test);
  });
}

function noReceiver(areNamed: boolean): Need[] {
  const particulars =
    "`steward notify list --help` shows how to name one; `no_receiver` in device.not_needed ends this.";
  return areNamed ? [] : [attention("no_receiver", {}, particulars)];
}

/** The parts of the first run that were left for later, until they are done, or declared as not needed here. */
function firstRunPart(): NeedsOf {
  const advised = createDerived(factorsAdvised);
  const unnamed = createDerived(unnamedNeed);
  const updates = createDerived(updatesNotSetUp);
  const receiver = createDerived(noReceiver);
  return (input) => {
    const { isSetUp, device, host, mayNameUsers, people, receivers, troubles, ota } = input;
    const { trust } = input.updates;
    if (!isSetUp) return [];
    const isUpdateTold = troubles.some(({ code }) => code === "updates");
    const needs = [
      ...advised(people.unprotectedAdmins, mayNameUsers),
      ...unnamed(device.name, host.hostname),
      ...updates(ota.server, trust.installed || isUpdateTold),
      ...receiver(receivers.areNamed),
    ];
    return needs.filter(({ code }) => !device.not_needed.some((one) => one === code));
  };
}

function factorsAdvised(users: readonly string[], mayNameUsers: boolean): Need[] {
  if (users.length === 0) return [];
  const facts = { count: users.length, ...(mayNameUsers && { users: [...users] }) };
  return [attention("second_factor_advised", facts, "`steward user 2fa setup NAME` sets one up.")];
}

function unnamedNeed(name: string, hostname: string): Need[] {
  const particulars = "`steward system set device.name=NAME` names it.";
  return name === "" ? [attention("device_unnamed", { hostname }, particulars)] : [];
}

/** `hasRoot`: it has one, or its absence is reported as a trouble of updates. */
function updatesNotSetUp(server: string, hasRoot: boolean): Need[] {
  if (server === "") {
    const particulars = "`steward system set update.ota.server=URL` sets one.";
    return [attention("updates_not_set_up", { missing: "server" }, particulars)];
  }
  if (hasRoot) return [];
  const particulars = "`steward update trust install FILE` installs one on the device.";
  return [attention("updates_not_set_up", { missing: "root" }, particulars)];
}
