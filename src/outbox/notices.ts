import { type EventType, eventTypes } from "../contract/event-types.ts";
import type { EventRows, Heard } from "../contract/events/row.ts";
import { type FindingCode, findingKinds } from "../contract/findings.ts";
import type { NeedCode } from "../contract/need-areas.ts";
import type { AuditEvent, Finding } from "../contract/types.ts";
import * as germanEvents from "../contract/words/de/events.ts";
import { findingWords as germanFindings } from "../contract/words/de/findings.ts";
import { messageWords as germanMessages } from "../contract/words/de/messages.ts";
import { needWords as germanNeeds } from "../contract/words/de/needs.ts";
import { problemTitles } from "../contract/words/de/problems.ts";
import * as events from "../contract/words/en/events.ts";
import { findingWords as findings } from "../contract/words/en/findings.ts";
import { messageWords as messages } from "../contract/words/en/messages.ts";
import { needWords as needs } from "../contract/words/en/needs.ts";
import { type Format, terminalFormat } from "../contract/words/format.ts";
import { type GivenFacts, needFacts } from "../contract/words/needs.ts";
import { escapeText } from "../terminal/escape.ts";
import type { Language, Notice } from "./receiver.ts";

/** The events that a receiver asks for; `record`: all. */
export type Takes = "all" | "grave" | "record";

type Level = Notice["level"];

/** True if a receiver that asks for these gets the event. */
export function isTaken(takes: Takes, event: AuditEvent): boolean {
  const level = levelOf(event);
  return takes === "record" || level === "grave" || (takes === "all" && level !== null);
}

/** An event's level; null: only in the record. The row of its type decides (docs/design/outbox.md, rule 6). */
export function levelOf(event: AuditEvent): Level | null {
  const { heard = "never" } = (eventTypes as EventRows)[event.type] ?? {};
  return levels[heard](event.details as Details, event);
}

const levels: Readonly<Record<Heard, (details: Details, event: AuditEvent) => Level | null>> = {
  never: () => null,
  always: () => "ordinary",
  at_once: () => "grave",
  as_need: ({ level }) => (level === "failing" ? "grave" : "ordinary"),
  // An update that fails is a need as well, which also has an end.
  unless_need: ({ outcome }) => (outcome === "failed" ? null : "ordinary"),
  // A change that leaves the role as it is does not name it, so a user who may sign in again could be an administrator.
  of_administrator: ({ role, role_before, enabled }) =>
    [role, role_before].includes("admin") || (role === undefined && enabled !== undefined)
      ? "ordinary"
      : null,
  of_new_address: ({ role, is_new_address }) => (role === "admin" && is_new_address ? "ordinary" : null),
  of_lasting_right: ({ scopes = [], ends_at }, { time }) => {
    const isLasting = ends_at === undefined || Date.parse(ends_at) - Date.parse(time) > sessionMilliseconds;
    return isLasting && scopes.some((scope) => !/:(read|check)$/.test(scope)) ? "ordinary" : null;
  },
  of_safeguard: ({ changed = [] }) => {
    if (changed.some((name) => name.startsWith("notify."))) return "grave";
    return changed.some((name) => /^(security|update)\./.test(name)) ? "ordinary" : null;
  },
  // Root can read it all anyway, and makes a backup each day.
  unless_root: (_, { actor }) => (actor.kind === "local-root" ? null : "ordinary"),
  // Never grave: what is urgent is a need.
  as_marked: ({ is_message }) => (is_message ? "ordinary" : null),
};

/** Milliseconds: a token for a day is no more than a session, whose sign-in people heard of; one an hour would be noise. */
const sessionMilliseconds = 86_400_000;

export const languages = {
  en: { ...messages, events, findings, needs, format: terminalFormat },
  de: {
    ...germanMessages,
    ...{ events: germanEvents, findings: germanFindings, needs: germanNeeds },
    format: {
      ...terminalFormat,
      span: (seconds) => terminalFormat.span(seconds).replace(".", ",").replace("days", "Tage"),
      users: (names) => terminalFormat.users(names).replace(/ more$/, " weitere"),
      bytes: (count) => terminalFormat.bytes(count).replace(".", ","),
      said: ({ en = "", de = en }) => de,
      error: (code) => (problemTitles as Readonly<Record<string, string>>)[code] ?? code,
    } satisfies Format,
  },
} as const;

type Words = (typeof languages)[Language];

export function noticeOf(event: AuditEvent, language: Language = "en"): Notice {
  const { seq, time, type } = event;
  const words = languages[language];
  const title = titleOf(event, words);
  return {
    ...{ seq, time, type, level: levelOf(event) ?? "ordinary", title },
    text: escapeText(textOf(event, title, words)),
    event,
  };
}

/** The members of details that notices are made of. */
type Details = GivenFacts &
  Readonly<
    Partial<Record<"role" | "role_before" | "outcome" | "level" | "code" | "detail" | "ends_at", string>>
  > &
  Readonly<Partial<Record<"source" | "host_name" | "for", string> & Record<"to", string | null>>> &
  Readonly<Partial<Record<"enabled" | "is_new_address" | "is_message", boolean> & Record<"need", NeedCode>>> &
  Readonly<Partial<Record<"scopes" | "changed", readonly string[]>>> &
  Readonly<Partial<Record<"seconds" | "offset_seconds", number>>>;

function titleOf({ type, actor, subject, details, code }: AuditEvent, words: Words): string {
  const { name, version, seconds, offset_seconds, to, source, host_name, ...facts } = details as Details;
  const span = seconds ?? offset_seconds;
  const { eventActors, eventSentences } = words.events;
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
    span: span === undefined ? "" : words.format.span(Math.abs(span)),
    to:
      needTitle(details, words) ||
      to ||
      source ||
      host_name ||
      facts.for ||
      facts.role ||
      words.format.said(facts),
  };
  return escapeText(sentence(told));
}

function textOf(event: AuditEvent, title: string, words: Words): string {
  const { type, actor, subject, details, from, log } = event;
  const { detail, code } = details as Details;
  if (type === "need.began")
    return needText(details, words) ?? `${needTitle(details, words)}. ${words.whereToLook}`;
  if (type === "need.ended") return words.isOver(needTitle(details, words));
  if (detail !== undefined)
    return `${title}. ${words === languages.en || code === undefined ? detail : `${words.format.error(code)}.`}`;
  if (log === "refusals") return `${title}.`;
  if (log === "reports") return `${title}. ${words.ifUnexpected.product(actor.name ?? "")}`;
  const [level, isAgents] = [levelOf(event), actor.kind === "agent"];
  const where = from === "local" && (level === null || isAgents) ? "" : words.from(from);
  if (level === null) return `${title}${where}.`;
  // An event of a user that the agent itself noticed is their doing, or that of a person in their place.
  const [kind, who] = isAgents && subject !== null ? ["user" as const, subject] : [actor.kind, actor];
  const advice = words.ifUnexpected[kind](who.name ?? "");
  return [`${title}${where}.`, ...factsOf(details, words), advice].join(" ");
}

/** The members of details that a person can judge, each as a sentence. */
function factsOf(
  details: AuditEvent["details"],
  { events: { eventFactNames, eventFactValues } }: Words,
): string[] {
  const names: Readonly<Record<string, string>> = eventFactNames;
  const values: Readonly<Record<string, string>> = eventFactValues;
  return Object.entries(details)
    .filter(([name, value]) => name in names && name !== "session" && value !== null)
    .map(([name, value]) => {
      const texts = [value].flat().map((one) => values[String(one)] ?? String(one));
      return `${names[name]}: ${texts.join(", ")}.`;
    });
}

/** Empty: it is about no need. */
function needTitle(details: AuditEvent["details"], { needs: needWords, format }: Words): string {
  const { need, ...facts } = details as Details;
  if (need === undefined) return "";
  return needWords[need]?.title(needFacts(facts, format)) ?? need;
}

/** The sentence of a need or of its finding; undefined: an event has too few of its facts. */
function needText(details: AuditEvent["details"], words: Words): string | undefined {
  const { need, level: _, ...facts } = details as Details;
  const { format } = words;
  if (need === undefined) return undefined;
  const { reason } = facts;
  if (reason === undefined) return words.needs[need]?.text?.(needFacts(facts, format));
  const kind = findingKinds[reason as FindingCode];
  if (kind === undefined || kind.facts.some((fact) => !(fact in facts))) return undefined;
  const sentence = words.findings[reason as FindingCode] as (
    facts: Finding["facts"],
    format: Format,
  ) => string;
  return sentence(facts as Finding["facts"], format);
}
