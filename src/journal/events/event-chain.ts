import { createHash } from "node:crypto";
import { objectIn } from "../../contract/text/json-of.ts";
import type { AuditEvent } from "../../contract/types.ts";

/** The previous hash of a log's first event. */
export const chainStart = "0".repeat(64);

type UnsealedEvent = Omit<AuditEvent, "hash">;

/** The event with its hash, which also covers its place in the chain (`log`, `previous_hash`). */
export function sealed(event: UnsealedEvent): AuditEvent {
  return { ...event, hash: hashOf(event) };
}

/** True if the event is unchanged since its hash was made. */
export function isIntact({ hash, ...event }: AuditEvent): boolean {
  return hashOf(event) === hash;
}

/** The event in a line of an event file, which has no line feed; undefined if it is not what was written. */
export function eventOfLine(line: string): AuditEvent | undefined {
  const event = parsedLine(line);
  return event && canonicalText(event) === line && isIntact(event) ? event : undefined;
}

/** The same without the check of the hash, to search through many lines. */
export function parsedLine(line: string): AuditEvent | undefined {
  const value = objectIn(line);
  const isEvent = value !== undefined && Number.isSafeInteger(value.seq) && "hash" in value;
  return isEvent ? (value as unknown as AuditEvent) : undefined;
}

/** JSON as RFC 8785 writes it: members sorted by UTF-16 code units, no white space, one text for each value. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = value as Readonly<Record<string, unknown>>;
  let text = "";
  for (const name of Object.keys(members).sort()) {
    if (members[name] === undefined) continue;
    if (text !== "") text += ",";
    text += `${JSON.stringify(name)}:${canonicalText(members[name])}`;
  }
  return `{${text}}`;
}

function hashOf(event: UnsealedEvent): string {
  return createHash("sha256").update(canonicalText(event)).digest("hex");
}
