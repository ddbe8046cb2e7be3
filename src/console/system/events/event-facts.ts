import type { AuditEvent } from "../../../contract/types.ts";
import { absoluteTime, figure, shortDuration } from "../../catalogue/formats.ts";
import { language, t, wordFor } from "../../catalogue/words.ts";
import { needTitleOf } from "../../needs/need-words.ts";
import { problemName } from "../../ui/by-code.ts";
import { visible } from "../../ui/visible.ts";
import { checkName } from "../../ui/words/health-words.ts";
import { labelOf } from "../settings/setting-words.ts";

export type Fact = ReturnType<typeof factsOf>[number];

/** Identifiers: worth comparing, and worth nothing in a sentence. */
const codes: readonly string[] = ["session", "release_id", "fingerprint", "former_device_id", "operation"];
/** In the event's own sentence already; the code of a report belongs to the technical part. */
const said: readonly string[] = ["en", "de"];
/** Said by the code already; the whole sentence is English. */
const agents: readonly string[] = ["detail", "conflict", "findings"];

/** One of a few words of the agent's; of other texts, such as names, the same word is no such. */
const chosen: readonly string[] = [
  "because",
  "kind",
  "method",
  "outcome",
  "damage",
  "damages",
  "replacement",
  "trust",
];

/** The details of an event as facts. Members without a name here are in the technical part. */
export function factsOf({ type, log, details }: AuditEvent) {
  const names: Readonly<Record<string, string>> = t.event.factNames;
  return Object.entries(details).flatMap(([member, value]) => {
    const isAgents = agents.includes(member);
    const isNothing = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (said.includes(member) || (member === "code" && log === "reports")) return [];
    // The code of a finding, which the title of its need says.
    if (member === "reason" && type.startsWith("need.")) return [];
    if (isNothing || !Object.hasOwn(names, member) || (isAgents && language !== "en")) return [];
    const text = visible(member === "need" ? needTitleOf(details) : textOf(type, member, value));
    return [{ name: names[member] ?? member, text, isCode: codes.includes(member), isAgents }];
  });
}

function textOf(type: string, member: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(type, member, one)).join(", ");
  if (member.endsWith("seconds") && typeof value === "number") return shortDuration(value);
  if (typeof value === "number") return figure(value, 3);
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return absoluteTime(new Date(text));
  if (type === "settings.changed") return labelOf(`/${text.replaceAll(".", "/")}`);
  if (member === "document") return checkName(text);
  if (member === "role" || member === "role_before") return wordFor<string>(t.person.roles, text) ?? text;
  if (member === "level") return text === "failing" ? t.home.failing : t.home.attention;
  if (member === "word") return wordFor<string>(t.frame.clockWords, text) ?? text;
  const word = wordFor<string>(t.event.factValues, text) ?? text;
  if (member === "code") return problemName(text) ?? word;
  const isReason = member === "reason" && type.endsWith(".refused");
  return isReason || chosen.includes(member) || typeof value === "boolean" ? word : text;
}
