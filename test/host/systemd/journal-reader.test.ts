import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../../lab/basics/until.ts";
import {
  type Fields,
  firstMoment,
  growJournal,
  makeJournal,
  temporaryDirectory,
  writeCommand,
} from "../../../lab/host/journal.ts";
import {
  createJournalReader,
  type JournalReaderOptions,
} from "../../../src/host/linux/systemd/journal-reader.ts";
import type { JournalEntry, JournalQuery } from "../../../src/host/ports.ts";

function say(message: string, fields: Fields = {}): Fields {
  return { _SYSTEMD_UNIT: "steward.service", MESSAGE: message, ...fields };
}

async function readAll(
  options: JournalReaderOptions,
  query: Partial<JournalQuery> = {},
  most = Number.POSITIVE_INFINITY,
) {
  const entries: JournalEntry[] = [];
  const end = await createJournalReader(options).read(
    { units: [], order: "newest-first", ...query },
    (entry) => {
      entries.push(entry);
      return entries.length < most;
    },
  );
  return { entries, end, messages: entries.map(({ message }) => message) };
}

describe("the journal reader", () => {
  it("reads the newest entry first, or the oldest", async (test) => {
    const place = [makeJournal(test, [say("one"), say("two"), say("three")])];
    assert.deepEqual((await readAll({ place })).messages, ["three", "two", "one"]);
    const { messages, end } = await readAll({ place }, { order: "oldest-first" });
    assert.deepEqual([messages, end], [["one", "two", "three"], { kind: "whole" }]);
  });

  it("goes on behind an entry, in both directions, and stops when the visitor has enough", async (test) => {
    const place = [makeJournal(test, [say("one"), say("two"), say("three"), say("four")])];
    const { entries, end } = await readAll({ place }, {}, 2);
    assert.deepEqual(end, { kind: "stopped" });
    const behind = entries[1]?.cursor;
    assert.deepEqual((await readAll({ place }, { behind })).messages, ["two", "one"]);
    assert.deepEqual((await readAll({ place }, { behind, order: "oldest-first" })).messages, ["four"]);
  });

  it("hands time and severity on to journalctl, both ends of the time included", async (test) => {
    const severe = [say("two", { PRIORITY: "3" }), say("three"), say("four", { PRIORITY: "4" })];
    const place = [makeJournal(test, [say("one"), ...severe])];
    for (const [query, expected] of [
      [{ sinceMilliseconds: firstMoment + 1_000, untilMilliseconds: firstMoment + 2_000 }, ["three", "two"]],
      [{ leastSeverity: 3 }, ["two"]],
      [{ leastSeverity: 4 }, ["four", "two"]],
    ] as const)
      assert.deepEqual((await readAll({ place }, query)).messages, expected);
  });

  it("knows units by name and by pattern, and what systemd says of them, which no other can forge", async (test) => {
    const entries = [
      say("own"),
      say("install", { _SYSTEMD_UNIT: "steward-install@7.service" }),
      say("other", { _SYSTEMD_UNIT: "other.service" }),
      say("started", { _SYSTEMD_UNIT: "init.scope", _PID: "1", UNIT: "steward.service" }),
      say("forged", { _SYSTEMD_UNIT: "evil.service", _PID: "666", UNIT: "steward.service" }),
    ];
    const place = [makeJournal(test, entries)];
    const unitsIn = async (query: Partial<JournalQuery>) =>
      (await readAll({ place }, query)).entries.map(
        (one) => `${one.message} ${one.unit} ${one.isFromSystemd}`,
      );
    const ours = [
      "started steward.service true",
      "install steward-install@7.service false",
      "own steward.service false",
    ];
    assert.deepEqual(await unitsIn({ units: ["steward.service", "steward-*.service"] }), ours);
    assert.equal((await unitsIn({}))[0], "forged evil.service false");
  });

  const messages: [string, Fields, string][] = [
    ["text of several lines", { MESSAGE: 'a\nb\t"c"' }, 'a\nb\t"c"'],
    ["bytes that are no UTF-8", { MESSAGE: Buffer.from([0xff, 0x00, 0x61]) }, "\ufffd\u0000a"],
    ["a field sent twice", { MESSAGE: ["one", "two"] }, "one\ntwo"],
    ["no message at all", { OTHER: "x" }, ""],
    ["an empty message", { MESSAGE: "" }, ""],
    ["200,000 characters", { MESSAGE: "x".repeat(200_000) }, "x".repeat(200_000)],
  ];
  it("reads a message of any bytes, sent once, twice or not at all", async (test) => {
    const entries = messages.map(([, fields]) => ({ _SYSTEMD_UNIT: "steward.service", ...fields }));
    const read = await readAll({ place: [makeJournal(test, entries)] }, { order: "oldest-first" });
    assert.deepEqual(
      read.messages,
      messages.map(([, , expected]) => expected),
    );
  });

  it("fills in what an entry does not say, and doubts what makes no sense", async (test) => {
    const odd = say("odd", { PRIORITY: "99", _PID: "x", _COMM: "sh" });
    const twice = say("twice", { PRIORITY: ["3", "4"], _PID: "7", SYSLOG_IDENTIFIER: "me" });
    const place = [makeJournal(test, [{ MESSAGE: "bare" }, odd, twice])];
    const { entries } = await readAll({ place }, { order: "oldest-first" });
    const found = entries.map(({ unit, identifier, severity, pid }) => [unit, identifier, severity, pid]);
    assert.deepEqual(found, [
      [null, null, 6, null],
      ["steward.service", "sh", 6, null],
      ["steward.service", "me", 3, 7],
    ]);
    assert.equal(entries[1]?.timeMilliseconds, firstMoment + 1_000);
  });

  it("passes over an entry of megabytes, and looks at so many entries and no more", async (test) => {
    const place = [makeJournal(test, [say("before"), say("x".repeat(3_000_000)), say("after")])];
    assert.deepEqual((await readAll({ place })).messages, ["after", "before"]);
    const bounded = await readAll({
      place: [makeJournal(test, [say("one"), say("two"), say("three")])],
      entryLimit: 2,
    });
    assert.deepEqual([bounded.messages, bounded.end], [["three", "two"], { kind: "bounded" }]);
  });

  it("gives every argument as an option with its value, whatever the value begins with", async (test) => {
    const directory = temporaryDirectory(test);
    const command = writeCommand(test, "journalctl", `printf '%s\\n' "$@" > '${directory}/arguments'`);
    const query = { units: ["--help.service", "-.mount"], behind: "--version", leastSeverity: 3 } as const;
    await readAll({ command }, { ...query, sinceMilliseconds: 0, untilMilliseconds: 253_402_300_799_999 });
    const given = readFileSync(join(directory, "arguments"), "utf8").trimEnd().split("\n");
    for (const argument of given) assert.match(argument, /^--[a-z][a-z-]*(=|$)/, argument);
    assert.ok(given.includes("--unit=--help.service"), given.join(" "));
    assert.ok(given.includes("--until=@253402300799.999"), given.join(" "));
  });

  describe("when there is no journal to be read", () => {
    const troubles: [string, JournalReaderOptions | string, RegExp][] = [
      ["no journalctl", { command: "/nowhere/journalctl" }, /ENOENT/],
      ["no such file", { place: ["--file=/nowhere/test.journal"] }, /No such file/],
      ["one that fails without a word", "exit 3", /ended with 3/],
      ["one that is killed", "kill -9 $$", /SIGKILL/],
    ];
    it("says so", async (test) => {
      for (const [name, options, words] of troubles) {
        const script =
          typeof options === "string" ? { command: writeCommand(test, "journalctl", options) } : options;
        const { end } = await readAll(script);
        assert.equal(end.kind, "unreadable", name);
        assert.match(end.kind === "unreadable" ? end.detail : "", words);
      }
      const noJson = `printf 'no\\n{}\\n[]\\nnull\\n{"__CURSOR":"x"}\\n'`;
      const command = writeCommand(test, "journalctl", noJson);
      assert.deepEqual(await readAll({ command }), { entries: [], messages: [], end: { kind: "whole" } });
    });

    it("waits for a slow one so long and no longer, and ends it", async (test) => {
      const directory = temporaryDirectory(test);
      const command = writeCommand(test, "journalctl", `echo $$ > '${directory}/pid'; exec sleep 60`);
      const { end } = await readAll({ command, timeoutMilliseconds: 300 });
      assert.deepEqual(end, { kind: "bounded" });
      const pid = readFileSync(join(directory, "pid"), "utf8").trim();
      await until("journalctl still runs", () => !existsSync(`/proc/${pid}`));
    });
  });

  it("follows from behind an entry on until it is told to stop", async (test) => {
    const journal = growJournal(test);
    journal.write(say("one"), say("two"));
    const place = [journal.place];
    let first: JournalEntry | undefined;
    for (let tries = 0; tries < 100 && !first; tries += 1) {
      first = (await readAll({ place }, { order: "oldest-first" }, 1)).entries[0];
      await delay(20);
    }
    const seen: string[] = [];
    const abort = new AbortController();
    const following = createJournalReader({ place }).follow(
      first?.cursor,
      ({ message }) => seen.push(message),
      abort.signal,
    );
    await until("what was there already", () => seen.length === 1);
    journal.write(say("three"));
    await until("what came", () => seen.length === 2);
    assert.deepEqual(seen, ["two", "three"]);
    abort.abort();
    await following;
  });
});
