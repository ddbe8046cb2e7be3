import type { EventType } from "../contract/event-types.ts";
import { type FindingCode, findingKinds } from "../contract/findings.ts";
import type { NeedCode } from "../contract/need-areas.ts";
import type { AuditEvent, Finding } from "../contract/types.ts";
import { eventActors, eventSentences } from "../contract/words/en/events.ts";
import { findingWords } from "../contract/words/en/findings.ts";
import { needWords } from "../contract/words/en/needs.ts";
import { terminalFormat } from "../contract/words/format.ts";
import { type GivenFacts, needFacts } from "../contract/words/needs.ts";
import { escapeText } from "../terminal/escape.ts";
import type { Notice } from "./receiver.ts";

/** The events that a receiver asks for; `record`: all. */
export type Takes = "all" | "grave" | "record";

type Level = Notice["level"];

/** Changes of the means by which a person signs in. */
const credentialChanges: readonly string[] = [
  "password.changed",
  "user.password_reset",
  "two_factor.enabled",
  "two_factor.disabled",
  "two_factor.recovered",
  "two_factor.recovery_codes_made",
  "two_factor.passkey_added",
  "two_factor.passkey_removed",
] satisfies EventType[];

/** Access that was given back without the person's own proof. */
const rescues: readonly string[] = ["setup.rescued", "user.rescued"] satisfies EventType[];

/** True if a receiver that asks for these gets the event. */
export function isTaken(takes: Takes, event: AuditEvent): boolean {
  const level = levelOf(event);
  return takes === "record" || level === "grave" || (takes === "all" && level !== null);
}

/**
 * The level of an event that people are notified of; null: it is only in the record. Rooms decide on their own what a person
 * has to see to and record it as a need; the rest is about access to the device, which its owner may not have noticed
 * (docs/design/outbox.md, rule 6).
 */
export function levelOf({ type, details }: AuditEvent): Level | null {
  const { level, role, is_new_address, outcome } = details as Details;
  if (type === "need.began" || type === "need.ended") return level === "failing" ? "grave" : "ordinary";
  if (rescues.includes(type)) return "grave";
  // An update that fails is a need as well, which also has an end.
  if (type === "update.undone") return outcome === "failed" ? null : "ordinary";
  if (type === "update.refused") return "ordinary";
  if (role !== "admin") return null;
  const isOfInterest =
    credentialChanges.includes(type) || (type === "sign_in.succeeded" && is_new_address === true);
  return isOfInterest ? "ordinary" : null;
}

/** Any event in words. */
export function noticeOf(event: AuditEvent): Notice {
  const { seq, time, type } = event;
  const title = titleOf(event);
  return {
    ...{ seq, time, type, level: levelOf(event) ?? "ordinary", title },
    text: escapeText(textOf(event, title)),
    event,
  };
}

/** The members of details that notices are made of. */
interface Details extends GivenFacts {
  readonly need?: NeedCode;
  readonly level?: string;
  readonly role?: string;
  readonly is_new_address?: boolean;
  readonly outcome?: string;
  readonly detail?: string;
  readonly seconds?: number;
  readonly offset_seconds?: number;
  readonly to?: string | null;
  readonly source?: string;
  readonly host_name?: string;
  readonly for?: string;
}

function titleOf({ type, actor, subject, details, code }: AuditEvent): string {
  const { name, version, seconds, offset_seconds, to, source, host_name, ...facts } = details as Details;
  const span = seconds ?? offset_seconds;
  const sentence = eventSentences[type as EventType] as
    | (typeof eventSentences)[EventType]
    // Another release may know other types.
    | undefined;
  if (sentence === undefined) return escapeText(type);
  const told = {
    who: actor.name ?? eventActors[actor.kind],
    code: code ?? "",
    about: subject?.name ?? "",
    release: [name, version].filter(Boolean).join(" "),
    span: span === undefined ? "" : terminalFormat.span(Math.abs(span)),
    to: needTitle(details) || to || source || host_name || facts.for || "",
  };
  return escapeText(sentence(told));
}

function textOf(event: AuditEvent, title: string): string {
  const { type, details, from, log } = event;
  const { detail } = details as Details;
  if (type === "need.began") return needText(details) ?? `${needTitle(details)}. ${whereToLook}`;
  if (type === "need.ended") return `Nothing is left to do about it: ${needTitle(details)}.`;
  if (detail !== undefined) return `${title}. ${detail}`;
  if (log === "refusals" || from === "local") return `${title}.`;
  return levelOf(event) === null ? `${title}, from ${from}.` : `${title}, from ${from}. ${ifUnknown}`;
}

const whereToLook = "The status of the device says what to do.";
const ifUnknown =
  "If you do not know who did this, end the user's sessions and look at the events of the device.";

/** Empty: it is about no need. */
function needTitle(details: AuditEvent["details"]): string {
  const { need, ...facts } = details as Details;
  if (need === undefined) return "";
  return needWords[need]?.title(needFacts(facts, terminalFormat)) ?? need;
}

/** The sentence of a need or of its finding; undefined: an event has too few of its facts. */
function needText(details: AuditEvent["details"]): string | undefined {
  const { need, level: _, ...facts } = details as Details;
  if (need === undefined) return undefined;
  const { reason } = facts;
  if (reason === undefined) return needWords[need]?.text?.(needFacts(facts, terminalFormat));
  const kind = findingKinds[reason as FindingCode];
  if (kind === undefined || kind.facts.some((fact) => !(fact in facts))) return undefined;
  const sentence = findingWords[reason as FindingCode] as (
    facts: Finding["facts"],
    format: typeof terminalFormat,
  ) => string;
  return sentence(facts as Finding["facts"], terminalFormat);
}
