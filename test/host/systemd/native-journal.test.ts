import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeHome, noServers } from "../../../lab/agents/running-agent.ts";
import { until } from "../../../lab/basics/until.ts";
import { compiled } from "../../../lab/host/compiled.ts";
import { firstMoment, temporaryDirectory } from "../../../lab/host/journal.ts";
import type { LogEntry } from "../../../src/contract/types.ts";
import { loadClockAddon } from "../../../src/host/linux/clock/clock-addon.ts";
import { createJournalReader } from "../../../src/host/linux/systemd/journal-reader.ts";
import { openNativeJournal } from "../../../src/host/linux/systemd/native-journal.ts";
import { journalFieldsOf } from "../../../src/journal/logs/journal-fields.ts";
import { createLog } from "../../../src/journal/logs/log.ts";
import { isAllowedUnit, readJournalLine } from "../../../src/journal/logs/log-line.ts";

const dist = join(import.meta.dirname, "../../../dist");
const addon = join(dist, "clock-steering.node");
const clockAddon = loadClockAddon(addon);
const remote = "/lib/systemd/systemd-journal-remote";

/** A socket as journald's, and the datagrams that came. */
async function journald(test: TestContext, socket = join(temporaryDirectory(test), "socket")) {
  const directory = temporaryDirectory(test);
  const child = spawn(compiled("receive-datagram.c", directory), [socket, "1000"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  test.after(() => void child.kill());
  let output = "";
  child.stdout.setEncoding("latin1").on("data", (text: string) => {
    output += text;
  });
  await until("it listens", () => output.startsWith("ready\n"));
  const entries = () =>
    output
      .split("\x1e")
      .slice(1)
      .map((text) => Buffer.from(text, "latin1"));
  return { socket, entries };
}

/** A real journal of these entries: the protocol's fields are those of the export format, behind what journald adds. */
function journalOf(test: TestContext, entries: readonly Buffer[]): string {
  const path = join(temporaryDirectory(test), "test.journal");
  const input = entries.flatMap((entry, index) => {
    const times = [firstMoment + index * 1_000, index + 1].map((one) => one * 1_000);
    const added = `__REALTIME_TIMESTAMP=${times[0]}\n__MONOTONIC_TIMESTAMP=${times[1]}\n_BOOT_ID=${"a".repeat(32)}\n_PID=77\n_SYSTEMD_UNIT=steward.service\n`;
    return [Buffer.from(added), entry, Buffer.from("\n")];
  });
  const { status, stderr } = spawnSync(remote, [`--output=${path}`, "-"], { input: Buffer.concat(input) });
  assert.equal(status, 0, String(stderr));
  return `--file=${path}`;
}

async function readLines(place: string): Promise<LogEntry[]> {
  const lines: LogEntry[] = [];
  await createJournalReader({ place: [place] }).read({ units: [], order: "oldest-first" }, (entry) => {
    const line = readJournalLine(entry, (unit) => isAllowedUnit(unit, []));
    if (line) lines.push(line);
    return true;
  });
  return lines;
}

const sentences = (place: string) =>
  execFileSync("journalctl", [place, "--output=cat", "--no-pager"], { encoding: "utf8" }).trim().split("\n");

/** Writes as the program does, to this socket. */
function logTo(socket: string) {
  const send = openNativeJournal(addon, socket);
  return createLog(
    (line, severity, said) => void send(journalFieldsOf(line, severity, said)),
    () => new Date(firstMoment),
  );
}

describe("the log as entries of the journal", () => {
  it("is a sentence for people, with fields to filter by, and reads as before", async (test) => {
    const { socket, entries } = await journald(test);
    const log = logTo(socket);
    const hash = "f".repeat(64);
    log("notice", "listening", { mode: "serving", addresses: ["/run/s", "http://127.0.0.1:8470"] });
    log("notice", "user.created", {
      ...{ audit: true, actor: "root-admin", subject: "anna", subject_id: "usr_1", from: "192.0.2.7" },
      ...{ request_id: "abc", role: "readonly", note: "two\nlines \u001b[2J" },
    });
    log("notice", "event log head", { audit: true, log: "changes", seq: 7, hash });
    await until("all are there", () => entries().length === 3);
    const place = journalOf(test, entries());
    assert.deepEqual(sentences(place), [
      "listening (mode serving, addresses /run/s http://127.0.0.1:8470)",
      "user.created: anna, by root-admin from 192.0.2.7 (role readonly, note two lines  [2J)",
      `event log head (log changes, seq 7, hash ${hash})`,
    ]);
    const found = execFileSync("journalctl", [place, "--output=cat", "STEWARD_REQUEST_ID=abc"], {
      encoding: "utf8",
    });
    assert.match(found, /^user\.created: anna/);
    const [first, second] = await readLines(place);
    assert.deepEqual(
      [first?.message, first?.priority, first?.identifier, first?.audit, first?.members],
      [
        "listening",
        "notice",
        "steward",
        false,
        { mode: "serving", addresses: ["/run/s", "http://127.0.0.1:8470"] },
      ],
    );
    const seen = [second?.message, second?.audit, second?.members?.note];
    assert.deepEqual(seen, ["user.created", true, "two\nlines \u001b[2J"]);
  });

  it("keeps every byte of a value with line feeds", async (test) => {
    const { socket, entries } = await journald(test);
    const value = "one\ntwo=\n\nthree ä";
    assert.equal(openNativeJournal(addon, socket)({ MESSAGE: value, EMPTY: "" }), true);
    await until("it is there", () => entries().length === 1);
    const json = execFileSync("journalctl", [journalOf(test, entries()), "--output=json"], {
      encoding: "utf8",
    });
    assert.equal(JSON.parse(json).MESSAGE, value);
  });

  it("is not sent where no journald listens, or the addon is gone", () => {
    const fields = { MESSAGE: "x" };
    assert.equal(openNativeJournal(addon, "/nonexistent/socket")(fields), false);
    assert.equal(openNativeJournal("/nonexistent/addon.node")(fields), false);
  });
});

function refusedRequest(socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: "/api/users", method: "POST" }, (answer) => {
      answer.resume().once("end", resolve);
    })
      .once("error", reject)
      .end("{}");
  });
}

describe("an agent whose standard error is the journal's", () => {
  it("writes entries, audit lines to a journal of their own, and nothing to standard error", async (test) => {
    const { socket, entries } = await journald(test);
    const audit = await journald(test);
    const home = await makeHome();
    test.after(() => rmSync(home.directory, { recursive: true, force: true }));
    const file = join(temporaryDirectory(test), "stderr");
    const stderr = openSync(file, "w");
    const { dev, ino } = fstatSync(stderr);
    const child: ChildProcess = spawn(process.execPath, [join(dist, "main.js"), "serve", ...home.arguments], {
      stdio: ["ignore", "ignore", stderr],
      env: {
        ...process.env,
        ...{
          STEWARD_INITIAL_SETTINGS: noServers,
          STEWARD_JOURNAL_SOCKET: socket,
          STEWARD_AUDIT_SOCKET: audit.socket,
          JOURNAL_STREAM: `${dev}:${ino}`,
        },
      },
    });
    closeSync(stderr);
    test.after(() => void child.kill("SIGKILL"));
    await until("it listens", () =>
      entries().some((entry) => entry.includes("MESSAGE=listening (mode serving")),
    );
    await refusedRequest(join(home.runDirectory, "steward.sock"));
    await until("a refusal is an audit line", () => audit.entries().length > 0);
    child.kill("SIGTERM");
    await until("it has ended", () => child.exitCode === 0);
    const kept = audit.entries().map(String);
    assert.ok(kept.every((entry) => entry.includes('"audit":true') && !entry.includes("STEWARD_COPY")));
    const copies = entries()
      .map(String)
      .filter((entry) => entry.includes("STEWARD_COPY=1"));
    const found = copies.map((entry) => entry.replace("STEWARD_COPY=1\n", ""));
    assert.deepEqual(found, kept);
    assert.equal(readFileSync(file, "utf8"), "");
    const lines = await readLines(journalOf(test, entries()));
    assert.deepEqual(
      lines
        .filter(({ message }) => ["listening", "stopping"].includes(message))
        .map(({ message, priority }) => [message, priority]),
      [
        ["listening", "notice"],
        ["stopping", "notice"],
      ],
    );
  });
});

describe("a notice to systemd", () => {
  it("arrives at a socket in the file system, and at an abstract one", async (test) => {
    for (const path of [join(temporaryDirectory(test), "notify"), `@steward-test-${process.pid}`]) {
      const { entries } = await journald(test, path);
      clockAddon.notify(path, "READY=1\nSTATUS=läuft");
      await until("it is there", () => entries().length === 1);
      assert.deepEqual(entries().map(String), ["READY=1\nSTATUS=läuft"]);
    }
  });

  const failures: [string, string, string, string][] = [
    ["no socket listens", "/nowhere/notify", "READY=1", "ENOENT"],
    ["no socket listens at an abstract name", "@steward-test-nobody", "READY=1", "ECONNREFUSED"],
    ["the path is empty", "", "READY=1", "EINVAL"],
    ["the path is longer than a socket's may be", `/${"n".repeat(107)}`, "READY=1", "ENAMETOOLONG"],
    ["the text is longer than a kilobyte", "@steward-test-nobody", "x".repeat(1_100), "EMSGSIZE"],
  ];
  for (const [what, path, text, code] of failures)
    it(`fails with ${code} where ${what}`, () =>
      assert.throws(() => clockAddon.notify(path, text), { code }));
});

it("the addon's functions that only read refuse what is no place for their figures", () => {
  for (const given of [[], [1], ["text"], [new Float64Array(1)], [new Float32Array(6)], [[0, 0, 0, 0, 0, 0]]])
    for (const call of [clockAddon.now, clockAddon.read])
      assert.throws(() => Reflect.apply(call, clockAddon, given), { code: "EINVAL" }, JSON.stringify(given));
});
