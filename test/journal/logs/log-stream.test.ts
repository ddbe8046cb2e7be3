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
  it("has the lines since a time, then the new ones, each once and in order", async (test) => {
    const { logs, write } = await growing(test, [line("one"), line("two"), line("three")]);
    const stream = open(test, logs, { sinceMilliseconds: firstMoment + 1_000 });
    write(line("four"));
    await until("four lines", () => stream.seen().length >= 3);
    write(line("five"));
    await until("five lines", () => stream.seen().includes("five"));
    assert.deepEqual(stream.seen(), ["two", "three", "four", "five"]);
  });

  it("goes on behind the last line that a reader has", async (test) => {
    const { logs, write, cursorOf } = await growing(test, [line("one"), line("two"), line("three")]);
    const stream = open(test, logs, { behind: await cursorOf("one") });
    await until("what was missed", () => stream.seen().length === 2);
    write(line("four"));
    await until("what comes", () => stream.seen().length === 3);
    assert.deepEqual(stream.seen(), ["two", "three", "four"]);
    const again = open(test, logs, { behind: readCursor(stream.entries[1]?.cursor ?? "") });
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

  it("catches up in as many readings as it takes", async (test) => {
    const entries = Array.from({ length: 9 }, (_, count) => line(`line ${count}`));
    const { logs } = await growing(test, entries, { entryLimit: 9 });
    const few = await growing(test, entries, { entryLimit: 10 });
    const stream = open(test, few.logs, { sinceMilliseconds: 0 });
    await until("all lines", () => stream.seen().length === 9);
    const other = open(test, logs, { sinceMilliseconds: 0 });
    await until("all lines of as many as one reading takes", () => other.seen().length === 9);
  });

  it("has audit lines for administrators alone, of the past and of what comes", async (test) => {
    const { logs, write } = await growing(test, [audit("user.created"), line("one")]);
    const administrator = open(test, logs, { sinceMilliseconds: 0, mayReadAudit: true });
    const others = open(test, logs, { sinceMilliseconds: 0 });
    await until("the past", () => administrator.seen().length === 2 && others.seen().length === 1);
    write(audit("user.deleted"), line("two"));
    await until("what comes", () => administrator.seen().length === 4 && others.seen().length === 2);
    assert.deepEqual(administrator.seen(), ["user.created", "one", "user.deleted", "two"]);
    assert.deepEqual(others.seen(), ["one", "two"]);
  });

  it("has the lines that are asked for, and none of a unit that may not be read", async (test) => {
    const { logs, write } = await growing(test, [line("begin")]);
    const all = open(test, logs, { sinceMilliseconds: 0 });
    const filter = { unit: "nginx.service", q: "(X", leastSeverity: 4 };
    const filtered = open(test, logs, { sinceMilliseconds: 0, ...filter });
    await until("the beginning", () => all.seen().length === 1);
    const nginx = (MESSAGE: string, PRIORITY: string) => ({
      _SYSTEMD_UNIT: "nginx.service",
      MESSAGE,
      PRIORITY,
    });
    write({ _SYSTEMD_UNIT: "sshd.service", MESSAGE: "(x no" }, nginx("(x less", "6"), nginx("other", "3"));
    write({ _SYSTEMD_UNIT: "steward-install@new.service", MESSAGE: "(x new unit" }, nginx("(x", "4"));
    await until("all that may be read", () => all.seen().length === 5 && filtered.seen().length > 0);
    assert.deepEqual(all.seen(), ["begin", "(x less", "other", "(x new unit", "(x"]);
    assert.deepEqual(filtered.seen(), ["(x"]);
  });

  it("sends nothing more when it is stopped, even while it begins", async (test) => {
    const { logs, write } = await growing(test, [line("one")]);
    const stopped = open(test, logs, { sinceMilliseconds: 0 });
    stopped.stop();
    const witness = open(test, logs, { sinceMilliseconds: 0 });
    write(line("two"));
    await until("another has both", () => witness.seen().length === 2);
    assert.deepEqual([stopped.seen(), stopped.ends()], [[], 0]);
  });
});

describe("the stream without a journal", () => {
  const text = (message: string, members: object = {}) =>
    `${JSON.stringify({ time: "2026-11-20T12:00:00.000Z", severity: "notice", message, ...members })}\n`;

  function begin() {
    const own = createOwnLines();
    const journal = createJournalReader({ command: "/nowhere/journalctl" });
    const logs = createLogs({ timers: createTimers(), journal, ownLines: own, logUnits: [] });
    const add = (message: string, members: object = {}) => own.add(text(message, members), "notice");
    return { own, logs, add };
  }

  it("has the agent's own lines, audit lines for administrators alone", async (test) => {
    const { logs, add } = begin();
    add("one");
    add("user.created", { audit: true });
    const administrator = open(test, logs, { sinceMilliseconds: 0, mayReadAudit: true });
    const others = open(test, logs, { sinceMilliseconds: 0 });
    await until("the past", () => administrator.seen().length === 2 && others.seen().length === 1);
    add("user.deleted", { audit: true });
    add("two");
    assert.deepEqual(administrator.seen(), ["one", "user.created", "user.deleted", "two"]);
    assert.deepEqual(others.seen(), ["one", "two"]);
    others.stop();
    add("three");
    assert.deepEqual(others.seen(), ["one", "two"]);
  });

  it("goes on behind the last line, and with all of this run behind one of a run before", async (test) => {
    const { logs, add, own } = begin();
    for (const message of ["one", "two", "three"]) add(message);
    const behind = { source: "agent", run: own.run, sequence: 2 } as const;
    const same = open(test, logs, { behind });
    const other = open(test, logs, { behind: { ...behind, run: "0".repeat(16) } });
    await until("what was missed", () => same.seen().length === 1 && other.seen().length === 3);
    assert.deepEqual([same.seen(), other.seen()], [["three"], ["one", "two", "three"]]);
  });
});
