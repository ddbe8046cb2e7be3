import type { Message, Notice } from "../receiver.ts";
import { type Attribute, attributesOf, nanoseconds, type Resource, resourceOf, scopeOf } from "./values.ts";

/** SeverityNumber of the log data model. */
const severities = {
  info: { severityNumber: 9, severityText: "INFO" },
  warn: { severityNumber: 13, severityText: "WARN" },
  error: { severityNumber: 17, severityText: "ERROR" },
} as const;

/** The body of a request to /v1/logs: a record for each event, and one for events that are lost. */
export function logsRequestOf(message: Message, resource: Resource, nowMilliseconds: number) {
  const { device, notices, gap, isTest } = message;
  const logRecords = [
    ...(gap === null ? [] : [gapRecord(message, gap, nowMilliseconds)]),
    ...notices.map((notice) => recordOf(notice, device.id)),
    ...(isTest ? [testRecord(message, nowMilliseconds)] : []),
  ];
  return {
    resourceLogs: [{ resource: resourceOf(resource), scopeLogs: [{ scope: scopeOf(resource), logRecords }] }],
  };
}

function recordOf({ time, type, level, title, text, event }: Notice, deviceId: string) {
  const { seq, log, outcome, code, count, actor, subject, from, request_id, details, hash } = event;
  const attributes = attributesOf({
    // Records with the same id are one: a message is sent again until it is acknowledged.
    "log.record.uid": `${deviceId}-${seq}`,
    "steward.event.seq": BigInt(seq),
    "steward.event.type": type,
    "steward.event.title": title,
    "steward.event.log": log,
    "steward.event.outcome": outcome,
    "steward.event.code": code,
    "steward.event.count": BigInt(count),
    "steward.event.actor.kind": actor.kind,
    "steward.event.actor.id": actor.id,
    "steward.event.actor.name": actor.name,
    "steward.event.subject.id": subject?.id ?? null,
    "steward.event.subject.name": subject?.name ?? null,
    "steward.event.from": from,
    "steward.event.request_id": request_id,
    ...detailsOf(details),
    "steward.event.hash": hash,
  });
  const severity = level === "grave" ? "error" : outcome === "refused" ? "warn" : "info";
  return { ...record(Date.parse(time), severity, text), eventName: `steward.${type}`, attributes };
}

function detailsOf(details: object): Record<string, Attribute> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [`steward.event.details.${name}`, attribute(value)]),
  );
}

/** An earlier release may have recorded other forms than the contract has now. */
function attribute(value: unknown): Attribute {
  if (Array.isArray(value)) return value.map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value as Exclude<Attribute, bigint | readonly string[]>;
}

function gapRecord({ id, device }: Message, { from, to }: { from: number; to: number }, now: number) {
  const text = `The events ${from} to ${to}, or some of them, are not sent: the device dropped them before, or they were refused.`;
  const attributes = attributesOf({
    "log.record.uid": `${device.id}-gap-${from}-${to}`,
    "steward.message.id": id,
    "steward.gap.from": BigInt(from),
    "steward.gap.to": BigInt(to),
  });
  return { ...record(now, "warn", text), eventName: "steward.gap", attributes };
}

function testRecord({ id }: Message, now: number) {
  const attributes = attributesOf({ "log.record.uid": id, "steward.message.id": id });
  return { ...record(now, "info", "This is a test."), eventName: "steward.test", attributes };
}

function record(milliseconds: number, severity: keyof typeof severities, text: string) {
  const timeUnixNano = nanoseconds(milliseconds);
  // Observed by the program that it happened in (the data model's rule for such records).
  return {
    timeUnixNano,
    observedTimeUnixNano: timeUnixNano,
    ...severities[severity],
    body: { stringValue: text },
  };
}
