import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type Fields, firstMoment, makeJournal, ownFields, writeCommand } from "../../../lab/host/journal.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { LogEntry, LogList } from "../../../src/contract/types.ts";
import { createJournalReader } from "../../../src/host/linux/systemd/journal-reader.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import type { Journal, JournalEnd, JournalEntry } from "../../../src/host/ports.ts";
import { countJournal, type LogCountQuery } from "../../../src/journal/logs/log-counts.ts";
import { readCursor, writeCursor } from "../../../src/journal/logs/log-cursor.ts";
import { readJournalLine } from "../../../src/journal/logs/log-line.ts";
import type { LogPageQuery } from "../../../src/journal/logs/log-page.ts";
import { createLogs, type Logs } from "../../../src/journal/logs/logs.ts";
import { createOwnLines, type OwnLines } from "../../../src/journal/logs/own-lines.ts";

const seen = (page: LogList) => page.items.map(({ message }) => message);
const anyone: LogPageQuery = { limit: 100, mayReadAudit: false };

function logsOf(
  test: TestContext,
  entries: readonly Fields[],
  logUnits: readonly string[] = [],
  unitId?: (unit: string, root?: string) => string,
): Logs {
  const journal = createJournalReader({ place: [makeJournal(test, entries)] });
  const options = { timers: createTimers(), journal, ownLines: createOwnLines(), logUnits };
  return createLogs({ ...options, ...(unitId && { unitId }) });
}

const notice = (message: string, members: object = {}) =>
  ownFields({ severity: "notice", message, ...members });
const audit = (message: string) => notice(message, { audit: true, actor: "root-admin" });

/** Page after page as a reader gets them. */
async function walk(logs: Logs, query: LogPageQuery): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: LogList = await logs.list(cursor === null ? query : { ...query, cursor: readCursor(cursor) });
    pages.push(seen(page));
    cursor = page.next_cursor;
  } while (cursor !== null && pages.length < 100);
  return pages;
}

describe("the log from a journal", () => {
  it("has each audit line once, not also as the agent's copy of it", async (test) => {
    const copy = { STEWARD_COPY: "1" };
    const logs = logsOf(
      test,
      [
        audit("user.created"),
        { ...audit("user.created"), ...copy },
        { _SYSTEMD_UNIT: "nginx.service", MESSAGE: "of another", ...copy },
        { _SYSTEMD_UNIT: "init.scope", _PID: "1", UNIT: "steward.service", MESSAGE: "Started.", ...copy },
      ],
      ["nginx.service"],
    );
    const page = await logs.list({ ...anyone, mayReadAudit: true });
    assert.deepEqual(seen(page), ["Started.", "of another", "user.created"]);
  });

  it("has the lines of a unit that is asked for, or named by the host file, by another name", async (test) => {
    const collected = { _SYSTEMD_UNIT: "rsyslog.service", MESSAGE: "collected" };
    const unitId = (unit: string, root = "") => (root + unit).replace(/^syslog/, "rsyslog");
    const logs = logsOf(test, [collected], ["syslog.service"], unitId);
    for (const unit of [undefined, "syslog.service", "rsyslog.service"])
      assert.deepEqual(seen(await logs.list({ ...anyone, unit })), ["collected"], unit);
    await assert.rejects(logs.list({ ...anyone, unit: "other.service" }), /other\.service is no unit/);
  });

  it("has the agent's own lines with what they say besides", async (test) => {
    const logs = logsOf(test, [notice("listening", { severity: "error", mode: "serving" })]);
    const { items, ...rest } = await logs.list(anyone);
    const [{ cursor, ...entry } = { cursor: "" } as LogEntry] = items;
    assert.deepEqual(rest, { total: 1, next_cursor: null, source: "journal" });
    assert.deepEqual(entry, {
      time: "2026-11-20T12:00:00.000Z",
      unit: "steward.service",
      identifier: "node",
      priority: "err",
      message: "listening",
      pid: 77,
      audit: false,
      members: { mode: "serving" },
    });
    assert.equal(readCursor(cursor).source, "journal");
  });

  it("has what a line says of requests by name, of those of an older agent what they have", async (test) => {
    const line = { audit: true, status: 201 };
    const logs = logsOf(test, [
      notice("POST /api/users", { ...line, duration_ms: 12.5, user: "ana" }),
      notice("GET /<b>\u202e x", { ...line, status: 404, count: 7 }),
      notice("user.created", line),
      notice("POST /api/users", { status: 201 }),
      { _SYSTEMD_UNIT: "nginx.service", MESSAGE: '{"message":"POST /api/users","audit":true,"status":201}' },
    ]);
    const { items } = await logs.list({ ...anyone, mayReadAudit: true });
    const found = items.map(({ request }) => request).reverse();
    assert.deepEqual(found, [
      { method: "POST", path: "/api/users", status: 201, duration_ms: 12.5, user: "ana", count: 1 },
      { method: "GET", path: "/<b>\u202e x", status: 404, duration_ms: null, user: null, count: 7 },
      undefined,
      undefined,
    ]);
  });

  it("finds requests by how they ended and by their user, whose tokens are theirs", async (test) => {
    const line = (path: string, status: number, user: string) =>
      notice(`POST ${path}`, { audit: true, status, user });
    const logs = logsOf(test, [
      notice("listening"),
      line("/a", 201, "ana"),
      line("/b", 404, "ana/backup"),
      line("/c", 503, "anatol"),
    ]);
    const found = async (query: Partial<LogPageQuery>) => seen(await logs.list({ ...anyone, ...query }));
    const all = { mayReadAudit: true };
    assert.deepEqual(await found({ ...all, status: "failed" }), ["POST /c", "POST /b"]);
    assert.deepEqual(await found({ ...all, status: "2xx" }), ["POST /a"]);
    assert.deepEqual(await found({ ...all, user: "ana" }), ["POST /b", "POST /a"]);
    assert.deepEqual(await found({ ...all, user: "ana", status: "4xx" }), ["POST /b"]);
    assert.deepEqual(await found({ status: "failed", user: "ana" }), [], "not for those who see no requests");
  });

  describe("units", () => {
    const entries: Fields[] = [
      notice("own"),
      { _SYSTEMD_UNIT: "nginx.service", MESSAGE: "allowed" },
      { _SYSTEMD_UNIT: "sshd.service", MESSAGE: "not allowed" },
      { _SYSTEMD_UNIT: "nginx.service.evil.service", MESSAGE: "longer" },
      { _SYSTEMD_UNIT: "xsteward.service", MESSAGE: "a part of the name" },
      { _SYSTEMD_UNIT: "steward-guard.service", MESSAGE: "guard" },
      { _SYSTEMD_UNIT: "init.scope", _PID: "1", UNIT: "steward.service", MESSAGE: "Started" },
      { _SYSTEMD_UNIT: "init.scope", _PID: "1", UNIT: "sshd.service", MESSAGE: "Started sshd" },
      { _SYSTEMD_UNIT: "sshd.service", UNIT: "steward.service", MESSAGE: "forged" },
      // journalctl --unit finds these too: what root says about a unit.
      { _SYSTEMD_UNIT: "cron.service", _UID: "0", OBJECT_SYSTEMD_UNIT: "steward.service", MESSAGE: "of it" },
      { MESSAGE: "kernel" },
    ];
    it("that are not allowed never appear, whatever they say of themselves", async (test) => {
      const page = await logsOf(test, entries, ["nginx.service"]).list({ ...anyone, mayReadAudit: true });
      assert.deepEqual(seen(page), ["Started", "guard", "allowed", "own"]);
    });

    it("are the one asked for", async (test) => {
      const logs = logsOf(test, entries, ["nginx.service"]);
      assert.deepEqual(seen(await logs.list({ ...anyone, unit: "steward.service" })), ["Started", "own"]);
      assert.deepEqual(seen(await logs.list({ ...anyone, unit: "nginx.service" })), ["allowed"]);
      assert.deepEqual(seen(await logs.list({ ...anyone, unit: "steward-install@7.service" })), []);
    });

    for (const unit of [
      "sshd.service",
      "nginx.service",
      "steward-*.service",
      "*",
      "--help",
      "-u",
      "a b",
      "steward.service\n",
    ]) {
      it(`that may not be read are refused, with those that may: ${JSON.stringify(unit)}`, async (test) => {
        const logs = logsOf(test, entries, ["cron.service"]);
        const isRefusal = (error: unknown) =>
          error instanceof StewardError &&
          error.code === "validation_failed" &&
          /steward\.service, steward-….service, cron\.service/.test(error.message);
        await assert.rejects(logs.list({ ...anyone, unit }), isRefusal);
        assert.throws(
          () => logs.stream({ mayReadAudit: true, unit }, { send: () => {}, end: () => {} }),
          isRefusal,
        );
      });
    }
  });

  describe("pages", () => {
    const entries = Array.from({ length: 7 }, (_, index) => notice(`line ${index}`));
    const [from, until] = [
      (line: number) => ({ sinceMilliseconds: firstMoment + line * 1_000 }),
      (line: number) => ({ untilMilliseconds: firstMoment + line * 1_000 }),
    ];
    for (const [name, count, query, expected] of [
      ["hold every line once, the newest first, and the last one says so", 7, { limit: 3 }, "654 321 0"],
      ["end where the lines do, when they fill the last one", 4, { limit: 2 }, "32 10"],
      ["keep to the time asked for, on each of them", 7, { limit: 2, ...from(1), ...until(5) }, "54 32 1"],
      ["end at the time asked for when that fills the last one", 7, { limit: 2, ...from(3) }, "65 43"],
    ] as const)
      it(name, async (test) => {
        const pages = await walk(logsOf(test, entries.slice(0, count)), { ...anyone, ...query });
        const numbers = pages.map((page) => page.map((message) => message.replace("line ", "")).join(""));
        assert.equal(numbers.join(" "), expected);
      });

    it("go on after a search that looked at as much as one may", async (test) => {
      const place = [makeJournal(test, [notice("needle"), ...entries, notice("needle")])];
      const journal = createJournalReader({ place, entryLimit: 3 });
      const logs = createLogs({ timers: createTimers(), journal, ownLines: createOwnLines(), logUnits: [] });
      const pages = await walk(logs, { ...anyone, q: "needle" });
      assert.deepEqual(pages, [["needle"], [], ["needle"]]);
    });

    it("do not begin at a place among the lines of a run", async (test) => {
      const cursor = { source: "agent", run: "0".repeat(16), sequence: 1 } as const;
      const isForeign = (error: unknown) => error instanceof StewardError && error.code === "invalid_cursor";
      await assert.rejects(logsOf(test, entries).list({ ...anyone, cursor }), isForeign);
    });
  });

  it("shows lines of a severity and graver ones", async (test) => {
    const logs = logsOf(test, [
      ownFields({ severity: "error", message: "error" }, { PRIORITY: "3" }),
      ownFields({ severity: "warning", message: "warning" }, { PRIORITY: "4" }),
      ownFields({ severity: "info", message: "info" }),
    ]);
    assert.deepEqual(seen(await logs.list({ ...anyone, leastSeverity: 4 })), ["warning", "error"]);
    assert.deepEqual(seen(await logs.list({ ...anyone, leastSeverity: 0 })), []);
  });

  const searches: [string, string[]][] = [
    [".*", ["a.*b"]],
    ["(", ["(open"]],
    ["OPEN", ["(open"]],
    ["$", []],
    ["--", ["--grep"]],
    ["é", ["É"]],
  ];
  for (const [q, expected] of searches) {
    it(`finds ${q} literally, whatever its case`, async (test) => {
      const logs = logsOf(test, [notice("--grep"), notice("a.*b"), notice("(open"), notice("É")]);
      assert.deepEqual(seen(await logs.list({ ...anyone, q })), expected);
    });
  }

  it("cuts a long message, with a mark, and not through a character", async (test) => {
    const MESSAGE = `${"x".repeat(16_383)}😀${"y".repeat(100_000)}`;
    const [entry] = (await logsOf(test, [{ _SYSTEMD_UNIT: "steward.service", MESSAGE }]).list(anyone)).items;
    assert.equal(entry?.message, `${"x".repeat(16_383)}… (cut: 116385 characters)`);
  });

  describe("counts", () => {
    const of = (_SYSTEMD_UNIT: string, PRIORITY: string, MESSAGE = "x") => ({
      _SYSTEMD_UNIT,
      PRIORITY,
      MESSAGE,
    });
    const entries: Fields[] = [
      of("nginx.service", "3", "refused"),
      of("nginx.service", "6"),
      of("nginx.service", "6", "refused"),
      of("sshd.service", "0", "not allowed"),
      notice("own", { severity: "error" }),
      { ...notice("copy"), STEWARD_COPY: "1" },
      audit("user.created"),
    ];
    const counted = (logs: Logs, query: Partial<LogCountQuery> = {}) =>
      logs.count({ mayReadAudit: false, ...query });

    it("have the lines of each allowed unit by priority, and audit lines only for administrators", async (test) => {
      const logs = logsOf(test, entries, ["nginx.service", "idle.service"]);
      const units = { "nginx.service": { info: 2, err: 1 }, "steward.service": { err: 1 } };
      assert.deepEqual(await counted(logs), { units, from: null });
      const all = (await counted(logs, { mayReadAudit: true })).units;
      assert.deepEqual(all, { ...units, "steward.service": { err: 1, notice: 1 } });
    });

    it("are of the lines that are asked for", async (test) => {
      const logs = logsOf(test, entries, ["nginx.service"]);
      const found = async (query: Partial<LogCountQuery>) => (await counted(logs, query)).units;
      assert.deepEqual(await found({ q: "REFUSED" }), { "nginx.service": { info: 1, err: 1 } });
      const span = { sinceMilliseconds: firstMoment + 1_000, untilMilliseconds: firstMoment + 3_000 };
      assert.deepEqual(await found(span), { "nginx.service": { info: 2 } });
      assert.deepEqual(await found({ q: "nowhere" }), {});
    });

    it("end after as many lines as one reading may have, and say from when they are", async (test) => {
      const place = [makeJournal(test, entries)];
      const journal = createJournalReader({ place, entryLimit: 4 });
      const logUnits = ["nginx.service"];
      const logs = createLogs({ timers: createTimers(), journal, ownLines: createOwnLines(), logUnits });
      const { units, from } = await counted(logs);
      assert.deepEqual(units, { "nginx.service": { info: 1 }, "steward.service": { err: 1 } });
      assert.equal(from, new Date(firstMoment + 2_000).toISOString());
    });
  });

  describe("audit lines", () => {
    const entries: Fields[] = [
      notice("first"),
      audit("user.created"),
      notice("second"),
      audit("user.deleted"),
      // Another unit, and systemd itself, cannot make a line an audit line, nor the agent's line none.
      { ...audit("pretended"), _SYSTEMD_UNIT: "nginx.service" },
      { ...audit("systemd"), _SYSTEMD_UNIT: "init.scope", _PID: "1", UNIT: "steward.service" },
      notice("third", { audit: "true" }),
      { ...audit("helper"), _SYSTEMD_UNIT: "steward-install@7.service" },
    ];
    it("are an administrator's", async (test) => {
      const page = await logsOf(test, entries).list({ ...anyone, mayReadAudit: true });
      const audits = page.items.filter((entry) => entry.audit).map(({ message }) => message);
      assert.deepEqual(audits, ["helper", "user.deleted", "user.created"]);
    });

    it("are left out for others before lines are counted, so that no page tells of them", async (test) => {
      const pages = await walk(logsOf(test, entries, ["nginx.service"]), { ...anyone, limit: 2 });
      const raw = (message: string) => JSON.parse(message).message;
      const names = pages.map((page) =>
        page.map((message) => (message.startsWith("{") ? raw(message) : message)),
      );
      assert.deepEqual(names, [["third", "systemd"], ["pretended", "second"], ["first"]]);
    });

    it("are no place that a page ends at", async (test) => {
      const logs = logsOf(test, entries);
      const page = await logs.list({ ...anyone, limit: 2 });
      assert.equal(page.next_cursor, page.items.at(-1)?.cursor);
    });

    it("are not found by searching, by time or by unit either", async (test) => {
      const logs = logsOf(test, entries);
      assert.deepEqual(seen(await logs.list({ ...anyone, q: "user.created" })), []);
      assert.deepEqual(seen(await logs.list({ ...anyone, unit: "steward-install@7.service" })), []);
      const atThatTime = { sinceMilliseconds: firstMoment + 1_000, untilMilliseconds: firstMoment + 1_000 };
      const page = await logs.list({ ...anyone, ...atThatTime });
      assert.deepEqual([page.items, page.next_cursor], [[], null]);
    });
  });
});

describe("the log without a journal", () => {
  function ownLines(): OwnLines {
    const own = createOwnLines();
    const add = (severity: string, message: string, members: object = {}) =>
      own.add(
        `${JSON.stringify({ time: "2026-11-20T12:00:00.000Z", severity, message, ...members })}\n`,
        "notice",
      );
    add("notice", "listening");
    add("notice", "user.created", { audit: true });
    add("warning", "trouble");
    own.add('{"torn":\n', "notice");
    own.add('{"time":"never","severity":"notice","message":"no time"}\n', "notice");
    return own;
  }
  const logsWithout = (journal: ReturnType<typeof createJournalReader>, logUnits: readonly string[] = []) =>
    createLogs({ timers: createTimers(), journal, ownLines: ownLines(), logUnits });

  const missing: [string, (test: TestContext) => ReturnType<typeof createJournalReader>][] = [
    ["no journalctl", () => createJournalReader({ command: "/nowhere/journalctl" })],
    ["a failure", (test) => createJournalReader({ command: writeCommand(test, "journalctl", "exit 1") })],
    [
      "one that hangs",
      (test) =>
        createJournalReader({
          command: writeCommand(test, "journalctl", "exec sleep 60"),
          timeoutMilliseconds: 200,
        }),
    ],
    [
      "one that has nothing of the agent",
      (test) =>
        createJournalReader({ place: [makeJournal(test, [{ _SYSTEMD_UNIT: "cron.service", MESSAGE: "" }])] }),
    ],
  ];
  for (const [name, journalOf] of missing) {
    it(`is the agent's own lines: ${name}`, async (test) => {
      const page = await logsWithout(journalOf(test)).list(anyone);
      assert.deepEqual(
        [seen(page), page.source, page.next_cursor],
        [["trouble", "listening"], "agent", null],
      );
    });
  }

  it("is not confused with a search of the journal that finds nothing", async (test) => {
    const journal = createJournalReader({ place: [makeJournal(test, [notice("own")])] });
    const page = await logsWithout(journal).list({ ...anyone, q: "trouble" });
    assert.deepEqual([page.items, page.source], [[], "journal"]);
  });

  describe("has the same filters, rights and pages", () => {
    const journal = createJournalReader({ command: "/nowhere/journalctl" });
    const logs = () => logsWithout(journal, ["nginx.service"]);
    const queries: [string, Partial<LogPageQuery>, string[]][] = [
      ["an administrator", { mayReadAudit: true }, ["trouble", "user.created", "listening"]],
      ["a severity", { leastSeverity: 4 }, ["trouble"]],
      ["a part of the message", { q: "LISTEN" }, ["listening"]],
      ["another unit", { unit: "nginx.service" }, []],
      ["a later time", { sinceMilliseconds: firstMoment + 1 }, []],
      [
        "one time",
        { sinceMilliseconds: firstMoment, untilMilliseconds: firstMoment },
        ["trouble", "listening"],
      ],
    ];
    for (const [name, query, expected] of queries) {
      it(name, async () => assert.deepEqual(seen(await logs().list({ ...anyone, ...query })), expected));
    }
    it("in the counts", async () => {
      const own = { "steward.service": { notice: 1, warning: 1 } };
      assert.deepEqual(await logs().count(anyone), { units: own, from: null });
      assert.deepEqual((await logs().count({ mayReadAudit: false, q: "LISTEN" })).units, {
        "steward.service": { notice: 1 },
      });
    });
    it("page by page", async () => {
      assert.deepEqual(await walk(logs(), { ...anyone, limit: 1 }), [["trouble"], ["listening"]]);
    });
    it("and no place of another run, nor of a journal that is gone", async () => {
      const isForeign = (error: unknown) => error instanceof StewardError && error.code === "invalid_cursor";
      const position = `s=${"1".repeat(32)};i=9;b=${"a".repeat(32)};m=1;t=1;x=1`;
      await assert.rejects(logs().list({ ...anyone, cursor: { source: "journal", position } }), isForeign);
      const run = "0".repeat(16);
      await assert.rejects(
        logs().list({ ...anyone, cursor: { source: "agent", run, sequence: 1 } }),
        isForeign,
      );
    });
  });
});

/** The newest of the entries; each further one is a second older. */
const newest = Date.parse("2026-11-20T12:00:00Z");

const entryAt = (place: number): JournalEntry => ({
  ...{ cursor: `${place}`, timeMilliseconds: newest - place * 1_000, unit: "pump.service" },
  ...{ isFromSystemd: false, identifier: "pump", severity: 3, pid: 7, message: "the pump is dry" },
  ...{ ownLine: null, isCopy: false },
});

/** A journal with so many entries, and the end that its reading comes to unless it is stopped. */
async function countOf(entries: number, end: JournalEnd) {
  const journal: Journal = {
    read: async (_, visit) => {
      for (let place = 0; place < entries; place += 1) if (!visit(entryAt(place))) return { kind: "stopped" };
      return end;
    },
    follow: async () => assert.fail("a count does not follow"),
  };
  const readLine = (entry: JournalEntry) => readJournalLine(entry, () => true);
  return countJournal({ journal, units: [], readLine }, { mayReadAudit: false });
}

const momentOf = (place: number) => new Date(newest - place * 1_000).toISOString();

describe("counts of the journal", () => {
  it("are of the newest 10,000 lines, and say from when", async () => {
    const units = { "pump.service": { err: 10_000 } };
    assert.deepEqual(await countOf(10_001, { kind: "whole" }), { units, from: momentOf(9_999) });
    assert.deepEqual(await countOf(10_000, { kind: "whole" }), { units, from: null });
  });

  it("say from when where the reading took too long, and are none where it has come to no line", async () => {
    const units = { "pump.service": { err: 2 } };
    assert.deepEqual(await countOf(2, { kind: "bounded" }), { units, from: momentOf(1) });
    assert.equal(await countOf(0, { kind: "bounded" }), undefined);
    assert.deepEqual(await countOf(0, { kind: "whole" }), { units: {}, from: null });
  });

  it("are none where the journal cannot be read, also in the middle", async () => {
    for (const entries of [0, 2])
      assert.equal(await countOf(entries, { kind: "unreadable", detail: "no such file" }), undefined);
  });
});

const position = `s=${"1".repeat(32)};i=9;b=${"a".repeat(32)};m=989680;t=65bfedaaf3440;x=76ad2a8641a0dc7e`;
const encoded = (text: string) => Buffer.from(text).toString("base64url");

describe("a cursor of the log", () => {
  it("says where in the journal, or where in a run", () => {
    for (const cursor of [
      { source: "journal", position },
      { source: "agent", run: "0123456789abcdef", sequence: -3 },
    ] as const) {
      assert.deepEqual(readCursor(writeCursor(cursor)), cursor);
    }
  });

  const foreign: [string, string][] = [
    ["nothing", ""],
    ["no base64", "%%%"],
    ["another alphabet", `${encoded(position).slice(0, -1)}+`],
    ["padding behind it", `${encoded(position)}=`],
    ["a position that is an option", encoded("--help")],
    ["a position with an option behind it", encoded(`${position} --file=/etc/shadow`)],
    ["a position with a line feed behind it", encoded(`${position}\n`)],
    ["a position without its hash", encoded(position.replace(/;x=.*/, ""))],
    ["upper case", encoded(position.toUpperCase())],
    ["a number that is none", encoded("0123456789abcdef 1e3")],
    ["a run of another length", encoded("0123 1")],
    ["JSON", encoded('["journal",1]')],
  ];
  for (const [name, text] of foreign) {
    it(`is refused: ${name}`, () => {
      assert.throws(() => readCursor(text), { code: "invalid_cursor" });
    });
  }
});
