import type { AuditEvent } from "../../src/contract/types.ts";
import type { Message, Notice } from "../../src/outbox/receiver.ts";

export const deviceId = "4f1d0c8e9a3b4c5d8e7f001122334455";

/** A notice of the outbox, of an event that a device could have recorded. */
export function noticeOf(
  seq: number,
  changes: Partial<Notice> & { details?: AuditEvent["details"] } = {},
): Notice {
  const { details = { need: "disk_full", level: "attention" }, ...rest } = changes;
  const type = rest.type ?? "need.began";
  const time = `2026-11-27T10:00:${String(seq % 60).padStart(2, "0")}.000Z`;
  const event: AuditEvent = {
    ...{ seq, time, type, log: "changes", outcome: "success", code: null, count: 1 },
    ...{ actor: { kind: "agent", id: null, name: null }, subject: null, from: "local", request_id: null },
    ...{ details, previous_hash: "0".repeat(64), hash: "1".repeat(64) },
  };
  return {
    ...{
      seq,
      time,
      type,
      level: "ordinary",
      title: "To do: the disk is nearly full",
      text: "3 % are free. Delete logs.",
      event,
    },
    ...rest,
  };
}

/** A message of these notices. */
export function messageOf(notices: readonly Notice[], changes: Partial<Message> = {}): Message {
  const counts: Record<string, number> = {};
  for (const { type } of notices) counts[type] = (counts[type] ?? 0) + 1;
  return {
    id: `${deviceId}-${notices[0]?.seq}-${notices.at(-1)?.seq}`,
    device: { id: deviceId, name: "Boiler house" },
    ...{ language: "en" as const, notices, count: notices.length, counts, gap: null, isTest: false },
    ...changes,
  };
}

export function testMessage(): Message {
  return messageOf([], { id: `${deviceId}-test-8f2c`, isTest: true });
}
