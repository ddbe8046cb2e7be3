import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { atEnd } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import {
  type Fields,
  firstMoment,
  growJournal,
  makeJournal,
  temporaryDirectory,
} from "../../../lab/host/journal.ts";
import { readAt } from "../../../lab/host/judged-host-file.ts";
import { buildLogReader } from "../../../scripts/build-addon.ts";
import { createJournalReader } from "../../../src/host/linux/systemd/journal-reader.ts";
import { createJournalctl } from "../../../src/host/linux/systemd/journalctl.ts";
import { createLogReader } from "../../../src/host/linux/systemd/log-reader.ts";
import { unitId } from "../../../src/host/linux/systemd/unit-id.ts";
import type { Journal, JournalEnd, JournalEntry, JournalQuery } from "../../../src/host/ports.ts";
import { isAllowedUnit } from "../../../src/journal/logs/log-line.ts";

const say = (MESSAGE: string, _SYSTEMD_UNIT: string, fields: Fields = {}): Fields => ({
  MESSAGE,
  _SYSTEMD_UNIT,
  ...fields,
});

/** Each kind of entry is there once. */
const entries = [
  say("own", "steward.service"),
  say("an update's", "steward-install@0123.service", { PRIORITY: "3" }),
  say("secret of sshd", "ssh.service"),
  say("allowed", "nginx.service"),
  say("nginx started", "init.scope", { _PID: "1", UNIT: "nginx.service" }),
  say("sshd started", "init.scope", { _PID: "1", UNIT: "ssh.service" }),
  say("forged", "evil.service", { _PID: "666", UNIT: "steward.service" }),
  say("forged twice", "evil.service", { _PID: "666", UNIT: ["steward.service", "nginx.service"] }),
  say("of a name like ours", "stewards.service"),
  say("of another like ours", "steward-x.timer"),
  { MESSAGE: "the kernel's" },
  say("last", "steward-guard.service", { PRIORITY: "4" }),
];
const allowed = ["own", "an update's", "allowed", "nginx started", "last"];
const host = JSON.stringify({ names: ["a"], log_units: ["nginx.service"] });

const messagesIn = (answer: string): string[] =>
  answer
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => (JSON.parse(line) as { MESSAGE: string }).MESSAGE);

describe("steward-logs", () => {
  it("hands on the entries of Steward's units and of those that the host file names, and no others", async (test) => {
    const reader = await startReader(test, { host, place: makeJournal(test, entries) });
    const answer = await reader.ask("read\n");
    assert.deepEqual(messagesIn(answer), allowed);
    assert.match(answer, /\nend\n$/);
    assert.doesNotMatch(answer, /secret|forged|kernel/);
    assert.deepEqual(messagesIn(await reader.ask("read unit=nginx.service\n")), ["allowed", "nginx started"]);
  });

  it("goes by the host file as it is when it is asked", async (test) => {
    const reader = await startReader(test, { host, place: makeJournal(test, entries) });
    const refusal = "refused log_units of the host file does not name this unit\n";
    assert.equal(await reader.ask("read unit=ssh.service\n"), refusal);
    writeFileSync(reader.hostFile, '{"log_units": ["ssh.service"]}');
    const secret = ["secret of sshd", "sshd started"];
    assert.deepEqual(messagesIn(await reader.ask("read unit=ssh.service\n")), secret);
    assert.equal(await reader.ask("read unit=nginx.service\n"), refusal);
  });

  it("refuses everything outside of its vocabulary", async (test) => {
    const reader = await startReader(test, { host, place: makeJournal(test, entries) });
    const lines = [
      ...["", " ", "write", "READ", "read --help", "read unit=*", "read unit=nginx*.service", "read unit="],
      ...["read unit=--flush.service=x", "read unit=-u nginx.service", "read unit=a/b.service"],
      ...["read unit=nginx.service unit=nginx.service", "read newest-first newest-first", "read priority=8"],
      ...["read priority=", "read priority=0..7", "read since=1", "read since=-1.000", "read since=1.0000"],
      ...["read until=now", "read cursor=", "read cursor=--help", "read cursor=s=1;i=$(id)", "read follow"],
      ...["read cursor=s=1 since=1.0", "follow unit=a.service", "follow newest-first", "follow since=1.000"],
      ...["read directory=/", "read _UID=0", "read\0", `read cursor=s${"1".repeat(300)}`, "x".repeat(600)],
    ];
    for (const line of lines)
      assert.equal(await reader.ask(`${line}\n`), "refused not in the vocabulary\n", line);
    assert.deepEqual(messagesIn(await reader.ask("read newest-first priority=3\n")), ["an update's"]);
  });

  it("reads a host file as the agent does, and takes an unusable one for none", async (test) => {
    const reader = await startReader(test, { place: makeJournal(test, entries) });
    const isAllowed = async () => !(await reader.ask("read unit=nginx.service\n")).startsWith("refused");
    const ofAgent = () =>
      readAt(reader.hostFile, process.getuid?.()).then(
        ({ logUnits }) => logUnits.includes("nginx.service"),
        () => false,
      );
    const nginx = '"nginx.service"';
    const named = [
      ` {\n"log_units" :\t[ "a.timer" ,${nginx} ] } \n`,
      `\ufeff{"log_units":[${nginx}]}\r\n`,
      `{"log_units":[${nginx}],"names":["\\u0061","b.example"],"product":"pump"}`,
      `{"update":{"allow_local_servers":true},"log_units":[${nginx}]}`,
    ];
    const none = [
      ...["", "{}", `{"log_units":[${nginx}]`, `{"log_units":[${nginx}]}}`, `{"log_units":[${nginx},]}`],
      ...[`{"log_units":${nginx}}`, '{"log_units":null}', `{"log_units":[${nginx},7]}`, "[".repeat(10_000)],
      ...[`{"log_units":[${nginx},"*"]}`, `{"log_units":[${nginx}],"log_units":[]}`],
      ...[`{"log_units":[],"log_units":[${nginx}]}`, `["log_units",[${nginx}]]`],
      ...[`{"update":{"log_units":[${nginx}]}}`, '{"product":"{\\"log_units\\":[\\"nginx.service\\"]"}'],
    ];
    for (const text of [...named, ...none]) {
      writeFileSync(reader.hostFile, text);
      const isNamed = named.includes(text);
      assert.deepEqual([await isAllowed(), await ofAgent()], [isNamed, isNamed], text.slice(0, 100));
    }
    assert.deepEqual(messagesIn(await reader.ask("read priority=3\n")), ["an update's"]);
  });

  it("finds the lines of a unit by each of its names, as the agent does", async (test) => {
    const root = temporaryDirectory(test);
    const [etc, lib] = ["/etc", "/usr/lib"].map((place) => join(root, place, "systemd/system"));
    assert.ok(etc !== undefined && lib !== undefined);
    for (const place of [etc, lib]) mkdirSync(place, { recursive: true });
    for (const file of ["rsyslog.service", "getty@.service", "getty@own.service"])
      writeFileSync(join(lib, file), "");
    symlinkSync("/usr/lib/systemd/system/none.service", join(etc, "gone.service"));
    symlinkSync(join(lib, "rsyslog.service"), join(etc, "syslog.service"));
    symlinkSync("syslog.service", join(etc, "log.service"));
    symlinkSync("/dev/null", join(etc, "masked.service"));
    symlinkSync(join(lib, "rsyslog.service"), join(etc, "rsyslog.timer"));
    symlinkSync("getty@.service", join(lib, "autovt@.service"));
    /** A name in the host file, and the units whose lines are then read. */
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ["rsyslog.service", ["rsyslog.service"]],
      ["syslog.service", ["rsyslog.service"]],
      ["log.service", ["rsyslog.service"]],
      ["masked.service", ["masked.service"]],
      ["gone.service", ["gone.service"]],
      ["rsyslog.timer", ["rsyslog.timer"]],
      ["other.service", []],
      ["getty@tty1.service", ["getty@tty1.service"]],
      ["autovt@tty1.service", ["getty@tty1.service"]],
      ["getty@own.service", ["getty@own.service"]],
      ["getty@.service", ["getty@own.service", "getty@tty1.service"]],
      ["autovt@.service", ["getty@own.service", "getty@tty1.service"]],
      ["foo@bar\\x2dbaz.service", ["foo@bar\\x2dbaz.service"]],
      ["mnt-data\\x2dset.mount", ["mnt-data\\x2dset.mount"]],
    ];
    const units = [...new Set(rows.flatMap(([, ids]) => ids))].sort();
    const program = join(root, "steward-logs");
    assert.ok(buildLogReader(program, "cc", `-DUNITS_ROOT=${JSON.stringify(root)}`));
    const lines = units.map((unit) => say(unit, unit));
    const place = makeJournal(test, lines);
    const reader = await startReader(test, { place, program });
    for (const [named, ids] of rows) {
      writeFileSync(reader.hostFile, JSON.stringify({ log_units: [named] }));
      assert.deepEqual(messagesIn(await reader.ask("read\n")), ids, named);
      assert.ok((await readAt(reader.hostFile, process.getuid?.())).logUnits.includes(named), named);
      const id = unitId(named, root);
      const found = units.filter((unit) => isAllowedUnit(unit, [id]));
      assert.deepEqual(found, ids, named);
      for (const one of ids) assert.deepEqual(messagesIn(await reader.ask(`read unit=${one}\n`)), [one], one);
    }
  });

  it("does not believe a host file that another user could have written", async (test) => {
    const reader = await startReader(test, { host, place: makeJournal(test, entries) });
    const isAllowed = async () => !(await reader.ask("read unit=nginx.service\n")).startsWith("refused");
    for (const mode of [0o644, 0o666, 0o644]) {
      chmodSync(reader.hostFile, mode);
      assert.equal(await isAllowed(), mode === 0o644);
    }
    if (process.getuid?.() !== 0) return;
    chownSync(reader.hostFile, 65_534, 65_534);
    assert.equal(await isAllowed(), false);
  });

  it("serves eight at once, and the ninth when one of them has left", async (test) => {
    const journal = growJournal(test);
    journal.write(...entries);
    const reader = await startReader(test, { host, place: journal.place });
    const isWritten = async () => messagesIn(await reader.ask("read\n")).length === allowed.length;
    await until("the journal is written", isWritten);
    const followers: { socket: Socket; seen: string }[] = [];
    for (let count = 0; count < 8; count += 1) {
      const follower = { socket: connect(reader.socket).setEncoding("utf8"), seen: "" };
      follower.socket.on("data", (text: string) => {
        follower.seen += text;
      });
      follower.socket.write("follow\n");
      followers.push(follower);
    }
    test.after(() => followers.forEach(({ socket }) => void socket.destroy()));
    await until("all follow", () =>
      followers.every(({ seen }) => messagesIn(seen).length === allowed.length),
    );
    let waited = "";
    void reader.ask("read\n").then((answer) => {
      waited = answer;
    });
    journal.write(say("secret of sshd again", "ssh.service"), say("news", "nginx.service"));
    await until("they hear the news", () => followers.every(({ seen }) => seen.includes('"news"')));
    assert.ok(followers.every(({ seen }) => !seen.includes("secret")));
    assert.equal(waited, "");
    followers[0]?.socket.destroy();
    await until("the ninth has its turn", () => waited.endsWith("\nend\n"));
    for (const { socket } of followers) socket.destroy();
    const isRunning = () => spawnSync("pgrep", ["--full", `journalctl.*${journal.place}`]).status === 0;
    await until("no journalctl is left", () => !isRunning());
  });

  it("says so where the journal cannot be read, and nothing of another without systemd's socket", async (test) => {
    const reader = await startReader(test, { place: "--file=/nowhere/test.journal" });
    assert.equal(await reader.ask("read\n"), "failed journalctl could not read the journal\n");
    const { status, stderr } = spawnSync("dist/steward-logs", ["/etc/steward/steward.json"], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr.startsWith("usage: ")], [2, true]);
  });
});

describe("the agent's client of steward-logs", () => {
  /** Reads by a socket, and never by journalctl itself. */
  const through = (socket: string) =>
    createJournalReader({ source: createLogReader(() => assert.fail("not through it"), socket) });

  it("has what journalctl has of it, in either order, of units, of a span of time, and of what is grave", async (test) => {
    const place = makeJournal(test, entries);
    const { socket } = await startReader(test, { host, place });
    for (const query of [
      {},
      { order: "newest-first" },
      { units: ["nginx.service"] },
      { sinceMilliseconds: firstMoment + 1_000, untilMilliseconds: firstMoment + 4_000 },
      { leastSeverity: 4 },
    ] as const) {
      const asked = await readAll(through(socket), query);
      assert.deepEqual(asked, await readAll(createJournalReader({ place: [place] }), query));
      assert.ok(asked.entries.length > 0, JSON.stringify(query));
    }
  });

  it("goes on behind an entry, and stops when there is enough", async (test) => {
    const reader = await startReader(test, { host, place: makeJournal(test, entries) });
    const journal = through(reader.socket);
    const first = await readAll(journal, { order: "newest-first" }, 2);
    assert.deepEqual(first.end, { kind: "stopped" });
    const rest = await readAll(journal, { order: "newest-first", behind: first.entries[1]?.cursor });
    const messages = [...first.entries, ...rest.entries].map(({ message }) => message);
    assert.deepEqual([messages, rest.end], [allowed.toReversed(), { kind: "whole" }]);
  });

  it("asks journalctl itself where there is no such socket", async (test) => {
    const journalctl = createJournalctl({ place: [makeJournal(test, entries)] });
    const journal = createJournalReader({ source: createLogReader(journalctl, "/nowhere/socket") });
    assert.equal((await readAll(journal, { units: ["ssh.service"] })).entries.length, 2);
  });

  it("knows that it was refused, and that an answer was cut off", async (test) => {
    const reader = await startReader(test, { host, place: makeJournal(test, entries) });
    const { end } = await readAll(through(reader.socket), { units: ["ssh.service"] });
    assert.equal(end.kind, "unreadable");
    const path = join(temporaryDirectory(test), "socket");
    const cutting = createServer((socket) => socket.once("data", () => socket.end('{"MESSAGE":"the end')));
    test.after(() => void cutting.close());
    await new Promise<void>((resolve) => cutting.listen(path, resolve));
    assert.deepEqual((await readAll(through(path), {})).end, { kind: "bounded" });
  });
});

async function readAll(
  journal: Journal,
  query: Partial<JournalQuery>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ entries: JournalEntry[]; end: JournalEnd }> {
  const found: JournalEntry[] = [];
  const units = ["steward.service", "steward-*.service", "nginx.service"];
  const end = await journal.read({ units, order: "oldest-first", ...query }, (entry) => {
    found.push(entry);
    return found.length < most;
  });
  return { entries: found, end };
}

const built = join(import.meta.dirname, "../../../dist/steward-logs");

interface StartedReader {
  readonly socket: string;
  readonly hostFile: string;
  /** All that is answered to one line, until the reader closes. */
  ask(line: string): Promise<string>;
}

/** The reader as systemd starts it: with the socket, at the first connection. */
async function startReader(
  test: TestContext,
  { host, place, program = built }: { host?: string | undefined; place: string; program?: string },
): Promise<StartedReader> {
  const directory = temporaryDirectory(test);
  const hostFile = join(directory, "steward.json");
  if (host !== undefined) writeFileSync(hostFile, host);
  const socket = join(directory, "socket");
  const child = spawn("systemd-socket-activate", [`--listen=${socket}`, program, hostFile, place], {
    stdio: "ignore",
  });
  atEnd(test, () => ended(child));
  // Its socket is there a moment before it listens.
  await until("it answers", async () => (await ask(socket, "\n")).startsWith("refused"));
  return { socket, hostFile, ask: (line) => ask(socket, line) };
}

function ask(path: string, line: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    connect(path)
      .setEncoding("utf8")
      .on("data", (text: string) => {
        answer += text;
      })
      // The reader may have closed before it has read all.
      .once("error", () => undefined)
      .once("close", () => resolve(answer))
      .write(line);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await exited;
}
