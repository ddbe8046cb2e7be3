import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type Fields, firstMoment, makeJournal, ownFields, writeCommand } from "../../../lab/host/journal.ts";
import type { LogEntry, LogList } from "../../../src/contract/types.ts";
import { createJournalReader } from "../../../src/host/linux/systemd/journal-reader.ts";
import { createTimers } from "../../../src/host/linux/timers.ts";
import type { Journal, JournalEnd, JournalEntry } from "../../../src/host/ports.ts";
import { countJournal } from "../../../src/journal/logs/log-counts.ts";
import { type LogCursor, readCursor, writeCursor } from "../../../src/journal/logs/log-cursor.ts";
import { readJournalLine } from "../../../src/journal/logs/log-line.ts";
import type { LogPageQuery } from "../../../src/journal/logs/log-page.ts";
import { createLogs, type Logs } from "../../../src/journal/logs/logs.ts";
import { createOwnLines } from "../../../src/journal/logs/own-lines.ts";

const seen = (page: LogList) => page.items.map(({ message }) => message);
const anyone: LogPageQuery = { limit: 100, mayReadAudit: false };
const admin: LogPageQuery = { limit: 100, mayReadAudit: true };

function logsOver(journal: Journal, logUnits: readonly string[] = [], ownLines = createOwnLines()): Logs {
  return createLogs({ timers: createTimers(), journal, ownLines, logUnits });
}

const logsOf = (test: TestContext, entries: readonly Fields[], logUnits = ["nginx.service"]) =>
  logsOver(createJournalReader({ place: [makeJournal(test, entries)] }), logUnits);

const notice = (message: string, members: object = {}) =>
  ownFields({ severity: "notice", message, ...members });
const audit = (message: string) => notice(message, { audit: true, actor: "root-admin" });
const of = (_SYSTEMD_UNIT: string, MESSAGE: string, PRIORITY = "6") => ({ _SYSTEMD_UNIT, MESSAGE, PRIORITY });
/** A line of systemd about a unit. */
const started = (UNIT: string) => ({ ...of("init.scope", `Started ${UNIT}`), _PID: "1", UNIT });

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

const from = (line: number) => ({ sinceMilliseconds: firstMoment + line * 1_000 });
const until = (line: number) => ({ untilMilliseconds: firstMoment + line * 1_000 });

const request = (path: string, status: number, user: string) =>
  notice(`POST /${path}`, { audit: true, status, user });
const copied = (fields: Fields): Fields => ({ ...fields, STEWARD_COPY: "1" });

const mixed: readonly Fields[] = [
  ...[notice("--grep"), notice("a.*b"), notice("(open"), notice("É")],
  ...[audit("user.created"), copied(audit("user.created")), copied(of("nginx.service", "its copy"))],
  ...[request("a", 201, "ana"), request("b", 404, "ana/backup"), request("c", 503, "anatol")],
  ownFields({ severity: "error", message: "error" }, { PRIORITY: "3" }),
  ownFields({ severity: "warning", message: "warning" }, { PRIORITY: "4" }),
  ...[of("nginx.service", "allowed"), of("steward-guard.service", "guard"), started("steward.service")],
  { ...audit("helper"), _SYSTEMD_UNIT: "steward-install@7.service" },
  // None may be read, whatever it says of itself.
  ...[of("sshd.service", "x"), of("nginx.service.evil.service", "x"), of("xsteward.service", "x")],
  ...[
    started("sshd.service"),
    { ...of("sshd.service", "forged"), UNIT: "steward.service" },
    { MESSAGE: "x" },
  ],
  // journalctl --unit finds these too: what root says about a unit.
  { ...of("cron.service", "of it"), _UID: "0", OBJECT_SYSTEMD_UNIT: "steward.service" },
];
const ofAll = "É|(open|a.*b|--grep";

describe("the log from a journal", () => {
  it("has the lines that are asked for and may be read, each once, without copies", async (test) => {
    const logs = logsOf(test, mixed);
    for (const [query, expected] of [
      [{}, `Started steward.service|guard|allowed|warning|error|its copy|${ofAll}`],
      [
        admin,
        `helper|Started steward.service|guard|allowed|warning|error|POST /c|POST /b|POST /a|its copy|user.created|${ofAll}`,
      ],
      [{ ...admin, status: "failed" }, "POST /c|POST /b"],
      [{ ...admin, status: "2xx" }, "POST /a"],
      [{ ...admin, user: "ana" }, "POST /b|POST /a"],
      [{ ...admin, user: "ana", status: "4xx" }, "POST /b"],
      [{ status: "failed", user: "ana" }, ""],
      [{ unit: "steward.service" }, `Started steward.service|warning|error|${ofAll}`],
      [{ unit: "nginx.service" }, "allowed|its copy"],
      [{ unit: "steward-install@7.service" }, ""],
      [{ leastSeverity: 4 }, "warning|error"],
      [{ leastSeverity: 0 }, ""],
      [{ q: ".*" }, "a.*b"],
      [{ q: "OPEN" }, "(open"],
      [{ q: "$" }, ""],
      [{ q: "--" }, "--grep"],
      [{ q: "é" }, "É"],
      [{ q: "user.created" }, ""],
      [{ ...from(4), ...until(5) }, ""],
      [{ ...from(2), ...until(4) }, "É|(open"],
    ] as [Partial<LogPageQuery>, string][])
      assert.deepEqual(
        (await walk(logs, { ...anyone, ...query })).map((page) => page.join("|")),
        [expected],
        JSON.stringify(query),
      );
  });

  it("has the lines of a unit that is asked for, or named by the host file, by another name", async (test) => {
    const journal = createJournalReader({ place: [makeJournal(test, [of("rsyslog.service", "collected")])] });
    const logs = createLogs({
      ...{ timers: createTimers(), journal, ownLines: createOwnLines(), logUnits: ["syslog.service"] },
      // It takes one unit: what else `map` gives to a function must not reach it.
      unitId: (unit: string, root = "") => (root + unit).replace(/^syslog/, "rsyslog"),
    });
    for (const unit of [undefined, "syslog.service", "rsyslog.service"])
      assert.deepEqual(seen(await logs.list({ ...anyone, unit })), ["collected"], unit);
    await assert.rejects(logs.list({ ...anyone, unit: "other.service" }), /other\.service is not a unit/);
  });

  it("refuses units that may not be read, and names those that may", async (test) => {
    const logs = logsOf(test, [notice("own")], ["cron.service"]);
    const message = /steward\.service, steward-….service, cron\.service/;
    for (const unit of [
      ...["sshd.service", "nginx.service", "steward-*.service", "*"],
      ...["--help", "-u", "a b", "steward.service\n"],
    ]) {
      await assert.rejects(logs.list({ ...anyone, unit }), { code: "validation_failed", message });
      const receiver = { send: () => undefined, end: () => undefined };
      assert.throws(() => logs.stream({ mayReadAudit: true, unit }, receiver), { code: "validation_failed" });
    }
  });

  it("has the agent's own lines with what they say besides, and long ones cut between characters", async (test) => {
    const long = `${"x".repeat(16_383)}😀${"y".repeat(100_000)}`;
    const own = notice("listening", { severity: "error", mode: "serving" });
    const logs = logsOf(test, [own, of("steward.service", long)]);
    const { items, ...rest } = await logs.list(anyone);
    const [cut, { cursor, ...entry } = { cursor: "" } as LogEntry] = items;
    assert.deepEqual(rest, { total: 2, next_cursor: null, source: "journal" });
    assert.deepEqual(entry, {
      ...{ time: "2026-11-20T12:00:00.000Z", unit: "steward.service", identifier: "node", pid: 77 },
      ...{ priority: "err", message: "listening", audit: false, members: { mode: "serving" } },
    });
    assert.equal(readCursor(cursor).source, "journal");
    assert.equal(cut?.message, `${"x".repeat(16_383)}… (cut: 116385 characters)`);
  });

  it("has what a line says of requests by name, of those of an older agent what they have", async (test) => {
    const line = { audit: true, status: 201 };
    const logs = logsOf(test, [
      notice("POST /api/users", { ...line, duration_ms: 12.5, user: "ana" }),
      notice("GET /<b>\u202e x", { ...line, status: 404, count: 7 }),
      notice("user.created", line),
      notice("POST /api/users", { status: 201 }),
      of("nginx.service", '{"message":"POST /api/users","audit":true,"status":201}'),
    ]);
    const { items } = await logs.list(admin);
    assert.deepEqual(items.map(({ request }) => request).reverse(), [
      { method: "POST", path: "/api/users", status: 201, duration_ms: 12.5, user: "ana", count: 1 },
      { method: "GET", path: "/<b>\u202e x", status: 404, duration_ms: null, user: null, count: 7 },
      ...[undefined, undefined, undefined],
    ]);
  });

  it("has pages with every line once, the newest first, that end where the lines or the time do", async (test) => {
    const lines = Array.from({ length: 7 }, (_, index) => notice(`${index}`));
    const [four, seven] = [logsOf(test, lines.slice(0, 4)), logsOf(test, lines)];
    const place = [makeJournal(test, [notice("x"), ...lines, notice("x")])];
    // One reading looks at three entries of it.
    const bounded = logsOver(createJournalReader({ place, entryLimit: 3 }));
    for (const [logs, query, expected] of [
      [seven, { limit: 3 }, "654 321 0"],
      [four, { limit: 2 }, "32 10"],
      [seven, { limit: 2, ...from(1), ...until(5) }, "54 32 1"],
      [seven, { limit: 2, ...from(3) }, "65 43"],
      [bounded, { q: "x" }, "x  x"],
    ] as const) {
      const pages = await walk(logs, { ...anyone, ...query });
      assert.equal(pages.map((page) => page.join("")).join(" "), expected);
    }
  });

  it("leaves audit lines out before lines are counted: neither a page nor its end tells of them", async (test) => {
    const logs = logsOf(test, [
      ...[notice("first"), audit("user.created"), notice("second"), audit("user.deleted")],
      // Another unit, and systemd itself, cannot make a line an audit line, nor the agent's line none.
      { ...audit("pretended"), _SYSTEMD_UNIT: "nginx.service" },
      { ...audit("systemd"), _SYSTEMD_UNIT: "init.scope", _PID: "1", UNIT: "steward.service" },
      notice("third", { audit: "true" }),
      { ...audit("helper"), _SYSTEMD_UNIT: "steward-install@7.service" },
    ]);
    const names = (await walk(logs, { ...anyone, limit: 2 })).map((page) =>
      page.map((message) => (message.startsWith("{") ? JSON.parse(message).message : message)),
    );
    assert.deepEqual(names, [["third", "systemd"], ["pretended", "second"], ["first"]]);
    // The line that was seen last is an audit line.
    const page = await logs.list({ ...anyone, limit: 3 });
    assert.equal(page.next_cursor, page.items.at(-1)?.cursor);
    const audits = (await logs.list(admin)).items.flatMap((entry) => (entry.audit ? [entry.message] : []));
    assert.deepEqual(audits, ["helper", "user.deleted", "user.created"]);
  });

  it("counts the lines that are asked for, of each allowed unit by priority", async (test) => {
    const logs = logsOf(test, [
      of("nginx.service", "refused", "3"),
      of("nginx.service", "x"),
      of("nginx.service", "refused"),
      of("sshd.service", "not allowed", "0"),
      notice("own", { severity: "error" }),
      { ...notice("copy"), STEWARD_COPY: "1" },
      audit("user.created"),
    ]);
    const nginx = { info: 2, err: 1 };
    for (const [query, units] of [
      [{}, { "nginx.service": nginx, "steward.service": { err: 1 } }],
      [{ mayReadAudit: true }, { "nginx.service": nginx, "steward.service": { err: 1, notice: 1 } }],
      [{ q: "REFUSED" }, { "nginx.service": { info: 1, err: 1 } }],
      [{ ...from(1), ...until(3) }, { "nginx.service": { info: 2 } }],
      [{ q: "nowhere" }, {}],
    ] as const)
      assert.deepEqual(await logs.count({ mayReadAudit: false, ...query }), { units, from: null });
  });
});

describe("the log without a journal", () => {
  const without = createJournalReader({ command: "/nowhere/journalctl" });

  function ownLogs(journal: Journal) {
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
    return logsOver(journal, ["nginx.service"], own);
  }

  for (const [name, optionsOf] of [
    ["no journalctl", () => ({ command: "/nowhere/journalctl" })],
    ["a failure", (test) => ({ command: writeCommand(test, "journalctl", "exit 1") })],
    [
      "one that hangs",
      (test) => ({ command: writeCommand(test, "journalctl", "exec sleep 60"), timeoutMilliseconds: 200 }),
    ],
    ["one that has nothing of it", (test) => ({ place: [makeJournal(test, [of("cron.service", "")])] })],
  ] as [string, (test: TestContext) => Parameters<typeof createJournalReader>[0]][])
    it(`is the agent's own lines: ${name}`, async (test) => {
      const page = await ownLogs(createJournalReader(optionsOf(test))).list(anyone);
      const { source, next_cursor } = page;
      assert.deepEqual([seen(page), source, next_cursor], [["trouble", "listening"], "agent", null]);
    });

  it("is not confused with a search of the journal that finds nothing", async (test) => {
    const { source } = await logsOf(test, [notice("own")]).list({ ...anyone, q: "trouble" });
    assert.equal(source, "journal");
  });

  it("has the same filters, rights, pages and counts", async () => {
    const logs = ownLogs(without);
    for (const [query, ...pages] of [
      [{ mayReadAudit: true }, ["trouble", "user.created", "listening"]],
      [{ leastSeverity: 4 }, ["trouble"]],
      [{ q: "LISTEN" }, ["listening"]],
      [{ unit: "nginx.service" }, []],
      [{ sinceMilliseconds: firstMoment + 1 }, []],
      [{ ...from(0), ...until(0) }, ["trouble", "listening"]],
      [{ limit: 1 }, ["trouble"], ["listening"]],
    ] as [Partial<LogPageQuery>, ...string[][]][])
      assert.deepEqual(await walk(logs, { ...anyone, ...query }), pages, JSON.stringify(query));
    const units = { "steward.service": { notice: 1, warning: 1 } };
    assert.deepEqual(await logs.count(anyone), { units, from: null });
    const found = await logs.count({ mayReadAudit: false, q: "LISTEN" });
    assert.deepEqual(found.units, { "steward.service": { notice: 1 } });
  });
});

/** Counts of a journal with so many entries, each a second older, and this end unless the reading is stopped. */
function countOf(entries: number, end: JournalEnd) {
  const journal: Journal = {
    read: async (_, visit) => {
      for (let place = 0; place < entries; place += 1) {
        const timeMilliseconds = firstMoment - place * 1_000;
        const entry = {
          ...{ cursor: `${place}`, timeMilliseconds, unit: "pump.service", isFromSystemd: false, pid: 7 },
          ...{ identifier: "pump", severity: 3, message: "the pump is dry", ownLine: null, isCopy: false },
        };
        if (!visit(entry)) return { kind: "stopped" };
      }
      return end;
    },
    follow: async () => assert.fail("a count does not follow"),
  };
  const reading = {
    journal,
    units: [],
    readLine: (entry: JournalEntry) => readJournalLine(entry, () => true),
  };
  return countJournal(reading, { mayReadAudit: false });
}

it("counts the newest 10,000 lines of a journal, says from when, and counts none of one that is not read", async () => {
  const unreadable: JournalEnd = { kind: "unreadable", detail: "no such file" };
  for (const [entries, end, counted, oldest] of [
    [10_001, { kind: "whole" }, 10_000, 9_999],
    [10_000, { kind: "whole" }, 10_000, null],
    [2, { kind: "bounded" }, 2, 1],
    [0, { kind: "whole" }, 0, null],
    [0, { kind: "bounded" }, null, null],
    [0, unreadable, null, null],
    [2, unreadable, null, null],
  ] as const) {
    const units = counted === 0 ? {} : { "pump.service": { err: counted } };
    const since = oldest === null ? null : new Date(firstMoment - oldest * 1_000).toISOString();
    const expected = counted === null ? undefined : { units, from: since };
    assert.deepEqual(await countOf(entries, end), expected, `${entries} ${end.kind}`);
  }
});

const position = `s=${"1".repeat(32)};i=9;b=${"a".repeat(32)};m=989680;t=65bfedaaf3440;x=76ad2a8641a0dc7e`;
const encoded = (text: string) => Buffer.from(text).toString("base64url");

describe("a cursor of the log", () => {
  const journalPlace: LogCursor = { source: "journal", position };
  const ownPlace: LogCursor = { source: "agent", run: "0123456789abcdef", sequence: -3 };

  it("says where in the journal, or where in a run", () => {
    for (const cursor of [journalPlace, ownPlace]) assert.deepEqual(readCursor(writeCursor(cursor)), cursor);
  });

  it("is refused where the other log, or another run, is the one that is read", async (test) => {
    const [journal, own] = [logsOf(test, [notice("own")]), logsOver(createJournalReader({ command: "/no" }))];
    for (const [logs, cursor] of [
      [journal, ownPlace],
      [own, ownPlace],
      [own, journalPlace],
    ] as const)
      await assert.rejects(logs.list({ ...anyone, cursor }), { code: "invalid_cursor" });
  });

  for (const [name, text] of [
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
  ] as const)
    it(`is refused: ${name}`, () => {
      assert.throws(() => readCursor(text), { code: "invalid_cursor" });
    });
});
