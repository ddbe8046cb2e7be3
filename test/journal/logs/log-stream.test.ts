import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { until } from "../../../lab/basics/until.ts";
import { type Fields, firstMoment, growJournal, ownFields } from "../../../lab/host/journal.ts";
import type { LogEntry } from "../../../src/contract/types.ts";
import {
  createJournalReader,
  type JournalReaderOptions,
} from "../../../src/host/linux/systemd/journal-reader.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import { readCursor } from "../../../src/journal/logs/log-cursor.ts";
import type { LogStreamQuery } from "../../../src/journal/logs/log-stream.ts";
import { createLogs, type Logs } from "../../../src/journal/logs/logs.ts";
import { createOwnLines } from "../../../src/journal/logs/own-lines.ts";

const line = (message: string, members: object = {}) =>
  ownFields({ severity: "notice", message, ...members });
const audit = (message: string) => line(message, { audit: true });

/** A stream that is being read. */
function open(test: TestContext, logs: Logs, query: Partial<LogStreamQuery>) {
  const entries: LogEntry[] = [];
  let ends = 0;
  const receiver = {
    send: (entry: LogEntry) => void entries.push(entry),
    end: () => {
      ends += 1;
    },
  };
  const stop = logs.stream({ mayReadAudit: false, ...query }, receiver);
  test.after(stop);
  return { entries, stop, seen: () => entries.map(({ message }) => message), ends: () => ends };
}

/** A journal that grows, with these entries in it already. */
async function growing(test: TestContext, entries: readonly Fields[], options: JournalReaderOptions = {}) {
  const journal = growJournal(test);
  journal.write(...entries);
  const reader = createJournalReader({ ...options, place: [journal.place] });
  const logs = createLogs({
    timers: createTimers(),
    journal: reader,
    ownLines: createOwnLines(),
    logUnits: ["nginx.service"],
  });
  const all = { limit: 200, mayReadAudit: true };
  for (let count = 0; count < entries.length; ) count = (await logs.list(all)).items.length;
  const cursorOf = async (message: string) => {
    const found = (await logs.list(all)).items.find((entry) => entry.message === message);
    return readCursor(found?.cursor ?? "");
  };
  return { logs, write: journal.write, cursorOf };
}

describe("the stream of a journal", () => {
  it("has the lines since a time or behind the last one of a reader, then the new ones, each once and in order", async (test) => {
    const { logs, write, cursorOf } = await growing(test, [line("one"), line("two"), line("three")]);
    const streams = [{ sinceMilliseconds: firstMoment + 1_000 }, { behind: await cursorOf("one") }].map(
      (query) => open(test, logs, query),
    );
    write(line("four"));
    for (const stream of streams) {
      await until("four lines", () => stream.seen().length >= 3);
      assert.deepEqual(stream.seen(), ["two", "three", "four"]);
    }
    const again = open(test, logs, { behind: readCursor(streams[1]?.entries[1]?.cursor ?? "") });
    await until("behind what another stream sent", () => again.seen().length === 1);
    assert.deepEqual(again.seen(), ["four"]);
  });

  it("loses no line and doubles none while lines come as it begins", async (test) => {
    const { logs, write, cursorOf } = await growing(test, [line("begin")]);
    const behind = await cursorOf("begin");
    const streams = [];
    for (let count = 0; count < 200; count += 1) {
      write(line(`line ${count}`));
      if (count % 50 === 0) streams.push(open(test, logs, { behind }));
      if (count % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const expected = Array.from({ length: 200 }, (_, count) => `line ${count}`);
    for (const stream of streams) {
      await until("all lines", () => stream.seen().length >= 200);
      assert.deepEqual(stream.seen(), expected);
    }
  });

  it("catches up in as many readings as it takes, also where the lines fill the last one", async (test) => {
    const entries = Array.from({ length: 9 }, (_, count) => line(`line ${count}`));
    for (const entryLimit of [9, 10]) {
      const { logs } = await growing(test, entries, { entryLimit });
      const stream = open(test, logs, { sinceMilliseconds: 0 });
      await until("all lines", () => stream.seen().length === 9);
    }
  });

  it("has the lines that are asked for and may be read, of the past and of what comes, until it is stopped", async (test) => {
    const { logs, write } = await growing(test, [audit("user.created"), line("one")]);
    const past = { sinceMilliseconds: 0 };
    const stopped = open(test, logs, past);
    stopped.stop();
    const administrator = open(test, logs, { ...past, mayReadAudit: true });
    const others = open(test, logs, past);
    const filtered = open(test, logs, { ...past, unit: "nginx.service", q: "(X", leastSeverity: 4 });
    await until("the past", () => administrator.seen().length === 2 && others.seen().length === 1);
    const nginx = (MESSAGE: string, PRIORITY: string) => ({
      _SYSTEMD_UNIT: "nginx.service",
      MESSAGE,
      PRIORITY,
    });
    write({ _SYSTEMD_UNIT: "sshd.service", MESSAGE: "(x no" }, nginx("(x less", "6"), nginx("other", "3"));
    write({ _SYSTEMD_UNIT: "steward-install@new.service", MESSAGE: "(x new unit" }, audit("user.deleted"));
    write(nginx("(x", "4"));
    const streams = [administrator, others, filtered];
    await until("what comes", () => streams.every((stream) => stream.seen().includes("(x")));
    assert.deepEqual(
      streams.map((stream) => stream.seen()),
      [
        ["user.created", "one", "(x less", "other", "(x new unit", "user.deleted", "(x"],
        ["one", "(x less", "other", "(x new unit", "(x"],
        ["(x"],
      ],
    );
    assert.deepEqual([stopped.seen(), stopped.ends()], [[], 0]);
  });
});

it("streams the agent's own lines without a journal, behind the last one, or all of this run", async (test) => {
  const own = createOwnLines();
  const journal = createJournalReader({ command: "/nowhere/journalctl" });
  const logs = createLogs({ timers: createTimers(), journal, ownLines: own, logUnits: [] });
  const add = (message: string, members: object = {}) => {
    const text = { time: "2026-11-20T12:00:00.000Z", severity: "notice", message, ...members };
    own.add(`${JSON.stringify(text)}\n`, "notice");
  };
  add("one");
  add("user.created", { audit: true });
  add("two");
  const place = { source: "agent", run: own.run, sequence: 2 } as const;
  const administrator = open(test, logs, { sinceMilliseconds: 0, mayReadAudit: true });
  const others = open(test, logs, { sinceMilliseconds: 0 });
  const behind = open(test, logs, { behind: place });
  const ofRunBefore = open(test, logs, { behind: { ...place, run: "0".repeat(16) } });
  await until("the past", () => ofRunBefore.seen().length === 2 && behind.seen().length === 1);
  add("user.deleted", { audit: true });
  add("three");
  others.stop();
  add("four");
  assert.deepEqual(administrator.seen(), ["one", "user.created", "two", "user.deleted", "three", "four"]);
  assert.deepEqual(others.seen(), ["one", "two", "three"]);
  assert.deepEqual(
    [behind.seen(), ofRunBefore.seen().slice(2)],
    [
      ["two", "three", "four"],
      ["three", "four"],
    ],
  );
});
