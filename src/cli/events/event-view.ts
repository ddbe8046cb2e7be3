import type { AuditEvent } from "../../contract/types.ts";

export const eventHeads = ["TIME", "SEQ", "TYPE", "WHO", "SUBJECT", "FROM", "OUTCOME", "DETAILS"] as const;

/** Characters of the details that a row shows; all of them are in the JSON. */
const shownDetails = 80;

/** An event as a row of the table. */
export function eventCells(event: AuditEvent): readonly unknown[] {
  const { time, seq, type, actor, subject, from } = event;
  const who = actor.name ?? actor.kind;
  return [time, seq, type, who, subject?.name, from, outcomeOf(event), detailsOf(event.details)];
}

function outcomeOf({ outcome, code, count }: AuditEvent): string {
  const name = code ?? outcome;
  return count > 1 ? `${name} (${count} times)` : name;
}

function detailsOf(details: Readonly<Record<string, unknown>>): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`)
    .join(" ");
  return text.length > shownDetails ? `${text.slice(0, shownDetails - 1)}…` : text;
}
