import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until } from "../../lab/basics/until.ts";
import { StewardError } from "../../src/contract/errors.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import { createJournalReader } from "../../src/host/linux/systemd/journal-reader.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import type { Actor, Call, StreamMessage, StreamSource } from "../../src/http/call.ts";
import { createLogHandlers } from "../../src/http/handlers/logs.ts";
import { createLogs } from "../../src/journal/logs/logs.ts";
import { createOwnLines } from "../../src/journal/logs/own-lines.ts";

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

function callOf<Id extends OperationId>(query: object, actor: Actor, lastEventId?: string): Call<Id> {
  // The handlers read only these of a call.
  return { query, actor, lastEventId } as unknown as Call<Id>;
}

const root: Actor = { kind: "local-root" };

function messagesOf(source: StreamSource): { messages: StreamMessage[]; stop: () => void } {
  const messages: StreamMessage[] = [];
  return {
    messages,
    stop: source(
      (message) => void messages.push(message),
      () => {},
      async () => {},
    ),
  };
}

function memberOf(message: StreamMessage | undefined, name: string): unknown {
  return new Map(Object.entries(message?.data ?? {})).get(name);
}

describe("the stream of the log", () => {
  it("sends each line with its place, from which a client that comes back goes on", async () => {
    const { handlers, add } = begin();
    add("one");
    add("two", { audit: true });
    const first = messagesOf(await handlers.streamLogs(callOf({ since: "1m" }, root)));
    await until("the past", () => first.messages.length === 2);
    const [one, two] = first.messages;
    assert.deepEqual([one?.event, memberOf(one, "message")], ["log", "one"]);
    assert.equal(one?.id, memberOf(one, "cursor"));
    const second = messagesOf(await handlers.streamLogs(callOf({}, root, one?.id)));
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
    const streams = [
      messagesOf(await handlers.streamLogs(callOf({}, root))),
      messagesOf(await handlers.streamLogs(callOf({}, root, ""))),
    ];
    const witness = messagesOf(await handlers.streamLogs(callOf({ since: "1h" }, root)));
    await until("another has the past", () => witness.messages.length === 1);
    add("after", { time: new Date(Date.parse(time) + 60_000).toISOString() });
    for (const { messages, stop } of [...streams, witness]) {
      assert.equal(memberOf(messages.at(-1), "message"), "after");
      stop();
    }
    const found = streams.map(({ messages }) => messages.length);
    assert.deepEqual(found, [1, 1]);
  });

  const refusals: [string, object, string | undefined, string][] = [
    ["a place that is none", {}, "--help", "invalid_cursor"],
    ["a time that is none", { since: "2026-02-31T25:00:00Z" }, undefined, "validation_failed"],
  ];
  for (const [name, query, lastEventId, code] of refusals)
    it(`is refused before it begins: ${name}`, async () => {
      const { handlers } = begin();
      const refused = async () => handlers.streamLogs(callOf(query, root, lastEventId));
      await assert.rejects(refused, (error) => error instanceof StewardError && error.code === code);
    });
});
