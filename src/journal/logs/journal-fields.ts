import { type LoggedText, type Severity, syslogNumbers } from "./log.ts";

/** The field with the whole line as JSON, from which readers have the facts with their types. */
const ownLineField = "STEWARD_JSON";

/** Characters of a sentence; the whole text is in the JSON line. */
const longestSentence = 2_000;

/** Characters that would control a terminal, or make journalctl show the sentence as a blob. */
const hostile = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A line of the log as an entry of the journal: a sentence for people, fields to filter by, and the line itself. */
export function journalFieldsOf(line: string, severity: Severity, said: LoggedText): Record<string, string> {
  const { audit, request_id } = said.members;
  return {
    MESSAGE: sentenceOf(said),
    PRIORITY: String(syslogNumbers[severity]),
    SYSLOG_IDENTIFIER: "steward",
    ...(audit === true && { STEWARD_EVENT: said.message }),
    ...(typeof request_id === "string" && { STEWARD_REQUEST_ID: request_id }),
    [ownLineField]: line.trimEnd(),
  };
}

/** `user.created: anna, by root-admin from 192.0.2.7 (role readonly)`, `listening (mode serving, version 0.1.0)`. */
function sentenceOf({ message, members }: LoggedText): string {
  const { audit, actor, subject, from, subject_id: _id, request_id: _request, ...facts } = members;
  const who =
    audit === true && actor !== undefined ? `by ${wordsOf(actor)} from ${wordsOf(from)}` : undefined;
  const about = [...(subject === undefined ? [] : [wordsOf(subject)]), ...(who === undefined ? [] : [who])];
  const others = Object.entries(facts).map(
    ([name, value]) => `${name.replaceAll("_", " ")} ${wordsOf(value)}`,
  );
  const sentence = `${message}${about.length > 0 ? `: ${about.join(", ")}` : ""}${others.length > 0 ? ` (${others.join(", ")})` : ""}`;
  return sentence.slice(0, longestSentence).replace(hostile, " ");
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(" ");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
