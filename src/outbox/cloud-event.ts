import type { Message, Notice } from "./receiver.ts";

/** The media type of `cloudEvent` in JSON. CloudEvents 1.0, HTTP protocol binding §3.2. */
export const cloudEventType = "application/cloudevents+json; charset=utf-8";

/**
 * A message as a CloudEvent 1.0 (JSON event format). `type`: `steward.` and the type of its one event;
 * `steward.events` where it reports several, `steward.test` for a test. `now`: RFC 3339, for a message without events.
 */
export function cloudEvent(message: Message, now: string) {
  const { id, device, notices, count, counts, gap } = message;
  return {
    ...{ specversion: "1.0", id, type: typeOf(message), source: sourceOf(device.id) },
    time: notices.at(-1)?.time ?? now,
    datacontenttype: "application/json",
    data: { device, count, counts, gap, events: notices.map(eventOf) },
  };
}

function typeOf({ isTest, notices, count }: Message): string {
  if (isTest) return "steward.test";
  const [only] = notices;
  return only !== undefined && count === 1 ? `steward.${only.type}` : "steward.events";
}

/** RFC 9562 §4: the 128 bits of a device's id are written as a UUID; an id of another form is a name of ours. */
function sourceOf(id: string): string {
  const uuid = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id);
  return uuid === null ? `urn:steward:${encodeURIComponent(id)}` : `urn:uuid:${uuid.slice(1).join("-")}`;
}

function eventOf({ seq, time, type, level, title, text, event }: Notice) {
  return { seq, time, type, level, title, text, details: event.details };
}
