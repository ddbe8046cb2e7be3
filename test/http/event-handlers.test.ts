import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { change, openLog } from "../../lab/state/event-directory.ts";
import type { Call, StreamMessage } from "../../src/http/call.ts";
import { createEventHandlers } from "../../src/http/handlers/events.ts";
import type { EventLog } from "../../src/journal/events/event-log.ts";

const nothing = () => () => undefined;
const handlersOf = (events: EventLog) => createEventHandlers(events, nothing, () => new Date());

/** Reads the stream as local root, straight from its source. */
async function follow(events: EventLog, lastEventId: string) {
  const messages: StreamMessage[] = [];
  const call = { actor: { kind: "local-root" }, query: {}, lastEventId } as Call<"streamEvents">;
  const source = await handlersOf(events).streamEvents(call);
  const stop = source(
    (message) => void messages.push(message),
    () => assert.fail("it ended"),
    async () => undefined,
  );
  return { messages, stop };
}

describe("a stream of events that begins in the past", () => {
  it("says from where on nothing is missing, when older events were dropped, and begins with what was kept", async (test) => {
    const { events } = await openLog(test, { totalBytes: 20_000 });
    for (let index = 0; index < 100; index += 1) await events.record(change(`user-${index}`));
    const first = await events.firstComplete();
    assert.ok(first > 10, "nothing was dropped");
    const { messages, stop } = await follow(events, "5");
    await until("all came", () => messages.at(-1)?.id === "100");
    assert.deepEqual(messages[0], { event: "gap", data: { first_available: first } });
    const ids = messages.slice(1).map(({ id }) => Number(id));
    const kept = ids.filter((id) => id < first);
    assert.ok(kept.length > 0 && kept.every((id) => id > 5), String(kept));
    const found = ids.slice(kept.length);
    assert.deepEqual(
      found,
      Array.from({ length: 101 - first }, (_, index) => first + index),
    );
    stop();
  });

  it("says nothing of the kind to who has all that was dropped", async (test) => {
    const { events } = await openLog(test, { totalBytes: 20_000 });
    for (let index = 0; index < 100; index += 1) await events.record(change(`user-${index}`));
    const { messages, stop } = await follow(events, String((await events.firstComplete()) - 1));
    await until("all came", () => messages.at(-1)?.id === "100");
    assert.equal(messages[0]?.event, "event");
    stop();
  });

  it("misses none and repeats none while more happen than it reads", async (test) => {
    const { events } = await openLog(test);
    for (let index = 0; index < 500; index += 1) await events.record(change(`before-${index}`));
    // Given a number, and not written yet.
    const waiting = ["waiting-1", "waiting-2"].map((name) => events.record(change(name)));
    const { messages, stop } = await follow(events, "0");
    for (let index = 0; index < 498; index += 1) await events.record(change(`meanwhile-${index}`));
    await Promise.all(waiting);
    await until("all came", () => messages.length === 1_000);
    const found = messages.map(({ id }) => Number(id));
    assert.deepEqual(
      found,
      Array.from({ length: 1_000 }, (_, index) => index + 1),
    );
    stop();
    await events.record(change("behind"));
    assert.equal(messages.length, 1_000);
  });
});

describe("the counts of events", () => {
  it("are refused for edges that do not rise: such a bar would have no beginning", async (test) => {
    const { events } = await openLog(test);
    const { countEvents } = handlersOf(events);
    const count = async (edges: string) =>
      countEvents({ actor: { kind: "local-root" }, query: { edges } } as Call<"countEvents">);
    for (const edges of ["20,10", "10,10"])
      await assert.rejects(count(edges), { code: "validation_failed", message: /\/edges must rise/ });
    assert.equal((await count("10,20")).spans.length, 3);
  });
});
