import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { context } from "../../lab/simulated/virtual-sign-in.ts";
import { change, openLog } from "../../lab/state/event-directory.ts";
import { refusedAnswer } from "../../src/accounts/oidc/refusals.ts";
import { StewardError } from "../../src/contract/errors.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import { createJournalReader } from "../../src/host/linux/systemd/journal-reader.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import type { Call, StreamMessage, StreamSource } from "../../src/http/call.ts";
import { createEventHandlers } from "../../src/http/handlers/events.ts";
import { createLogHandlers } from "../../src/http/handlers/logs.ts";
import { recordRefusal } from "../../src/http/request-events.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";
import type { EventLog } from "../../src/journal/events/event-log.ts";
import { createLogs } from "../../src/journal/logs/logs.ts";
import { createOwnLines } from "../../src/journal/logs/own-lines.ts";

const nothing = () => () => undefined;
const handlersOf = (events: EventLog) => createEventHandlers(events, nothing, () => new Date());

/** The messages of a stream for local root, straight from its source: the handlers read only these of a call. */
async function follow<Id extends OperationId>(
  stream: (call: Call<Id>) => StreamSource | Promise<StreamSource>,
  query: object = {},
  lastEventId?: string,
) {
  const messages: StreamMessage[] = [];
  const source = await stream({ actor: { kind: "local-root" }, query, lastEventId } as unknown as Call<Id>);
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
    const { messages, stop } = await follow(handlersOf(events).streamEvents, {}, "5");
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

  it("misses none and repeats none while more happen than it reads", async (test) => {
    const { events } = await openLog(test);
    for (let index = 0; index < 500; index += 1) await events.record(change(`before-${index}`));
    // Given a number, and not written yet.
    const waiting = ["waiting-1", "waiting-2"].map((name) => events.record(change(name)));
    const { messages, stop } = await follow(handlersOf(events).streamEvents, {}, "0");
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

const time = "2026-11-20T12:00:00.000Z";

function begin() {
  const ownLines = createOwnLines();
  const journal = createJournalReader({ command: "/nowhere/journalctl" });
  const handlers = createLogHandlers(
    createLogs({ timers: createTimers(), journal, ownLines, logUnits: [] }),
    () => new Date(Date.parse(time) + 60_000),
  );
  const add = (message: string, members: object = {}) =>
    ownLines.add(JSON.stringify({ time, severity: "notice", message, ...members }), "notice");
  return { handlers, add };
}

const wordsOf = (message: StreamMessage | undefined) => message?.data as { message: string; cursor: string };

describe("the stream of the log", () => {
  it("sends each line with its place, from which a client that comes back goes on", async () => {
    const { handlers, add } = begin();
    add("one");
    add("two", { audit: true });
    const first = await follow(handlers.streamLogs, { since: "1m" });
    await until("the past", () => first.messages.length === 2);
    const [one, two] = first.messages;
    assert.deepEqual([one?.event, wordsOf(one).message, one?.id], ["log", "one", wordsOf(one).cursor]);
    const second = await follow(handlers.streamLogs, {}, one?.id);
    await until("what was missed", () => second.messages.length === 1);
    assert.deepEqual(second.messages, [two]);
    first.stop();
    add("three");
    assert.deepEqual([first.messages.length, second.messages.length], [2, 2]);
    second.stop();
  });

  it("begins now where nothing says since when, and where the place is empty", async () => {
    const { handlers, add } = begin();
    add("before");
    const begun = (query: object, lastEventId?: string) => follow(handlers.streamLogs, query, lastEventId);
    const streams = [await begun({}), await begun({}, ""), await begun({ since: "1h" })];
    await until("the last has the past", () => streams[2]?.messages.length === 1);
    add("after", { time: new Date(Date.parse(time) + 60_000).toISOString() });
    const found = streams.map(({ messages }) => [messages.length, wordsOf(messages.at(-1)).message]);
    assert.deepEqual(found, [
      [1, "after"],
      [1, "after"],
      [2, "after"],
    ]);
    for (const { stop } of streams) stop();
  });

  const refusals: [string, object, string | undefined, string][] = [
    ["a place that is none", {}, "--help", "invalid_cursor"],
    ["a time that is none", { since: "2026-02-31T25:00:00Z" }, undefined, "validation_failed"],
  ];
  for (const [name, query, lastEventId, code] of refusals)
    it(`is refused before it begins: ${name}`, async () => {
      const { handlers } = begin();
      const refused = async () => follow(handlers.streamLogs, query, lastEventId);
      await assert.rejects(refused, (error) => error instanceof StewardError && error.code === code);
    });
});

describe("the refusal of a request", () => {
  it("has the words of another server for its line in the log, and not among its details", () => {
    const refused: [facts: EventFacts, code: string][] = [];
    const events = {
      record: async () => undefined,
      refuse: (facts: EventFacts, code: string) => void refused.push([facts, code]),
    };
    const error = refusedAnswer("invalid_scope", "It was asked for groups.", {
      error_description: "not here",
    });
    recordRefusal(events, "signInAtProvider", { actor: { kind: "anonymous" }, context, noted: {} }, error);
    const [[facts, code] = []] = refused;
    assert.equal(code, "provider_refused");
    assert.deepEqual(facts?.details, { operation: "signInAtProvider", reason: "invalid_scope" });
    assert.equal(facts?.said, 'It was asked for groups. {"error_description":"not here"}');
  });
});
