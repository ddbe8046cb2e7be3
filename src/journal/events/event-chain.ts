import { createHash } from "node:crypto";
import type { AuditEvent } from "../../contract/types.ts";

/** What the first event of a log continues. */
export const chainStart = "0".repeat(64);

/** An event before it has its hash. */
export type UnsealedEvent = Omit<AuditEvent, "hash">;

/** The event with its hash, which its place in the chain (`log`, `previous_hash`) is bound into. */
export function sealed(event: UnsealedEvent): AuditEvent {
  return { ...event, hash: hashOf(event) };
}

/** True when the event is what it was when its hash was made. */
export function isIntact({ hash, ...event }: AuditEvent): boolean {
  return hashOf(event) === hash;
}

/** A line of an event file, without its line feed, as the event it holds; undefined when it is not what was written. */
export function eventOfLine(line: string): AuditEvent | undefined {
  const event = parsedLine(line);
  return event && canonicalText(event) === line && isIntact(event) ? event : undefined;
}

/** The same without the proof: for looking through lines of which few are wanted. */
export function parsedLine(line: string): AuditEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEvent = typeof value === "object" && value !== null && "seq" in value && "hash" in value;
    return isEvent && Number.isSafeInteger(value.seq) ? (value as unknown as AuditEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** JSON as RFC 8785 writes it: members sorted by UTF-16 code units, no white space; one text for one value. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`);
  return `{${members.join(",")}}`;
}

function hashOf(event: UnsealedEvent): string {
  return createHash("sha256").update(canonicalText(event)).digest("hex");
}
