import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, describe, it } from "node:test";
import { atEnd } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { longSeconds, until } from "../../../lab/basics/until.ts";
import { type Authority, createAuthority } from "../../../lab/host/certificates.ts";
import { type Chronyd, startChronyd } from "../../../lab/host/chronyd.ts";
import {
  onEachLine,
  outcomeIn,
  outcomeLine,
  requestLine,
} from "../../../src/host/linux/nts/key-exchange-lines.ts";
import {
  createKeyExchanges,
  type KeyExchangeProcessPlan,
} from "../../../src/host/linux/nts/key-exchange-process.ts";
import type { KeyExchangeOutcome, KeyRequest, NtsKeys } from "../../../src/host/nts-ports.ts";

const keys: NtsKeys = {
  c2s: new Uint8Array(32).fill(1),
  s2c: new Uint8Array(32).fill(2),
  cookies: [new Uint8Array(100).fill(3), new Uint8Array(1_024).fill(4)],
  host: "time.example",
  port: 123,
};
const line = outcomeLine({ id: 7, outcome: { kind: "keys", keys } });

/** The line with these members in place of its own. */
function with_(members: object): string {
  const whole = JSON.parse(line);
  return JSON.stringify({ ...whole, keys: { ...whole.keys, ...members } });
}

const base64 = (bytes: number): string => Buffer.alloc(bytes).toString("base64");

describe("a line of the process of key exchanges", () => {
  it("brings the outcome as it was", () => {
    assert.deepEqual(outcomeIn(line), { id: 7, outcome: { kind: "keys", keys } });
    const outcome = { kind: "failed", failure: "nts_unreachable ECONNREFUSED" } as const;
    assert.deepEqual(outcomeIn(outcomeLine({ id: 8, outcome })), { id: 8, outcome });
    assert.deepEqual(outcomeIn(with_({})), { id: 7, outcome: { kind: "keys", keys } });
  });

  for (const [name, text] of [
    ["no JSON", "nts"],
    ["null", "null"],
    ["a number", "1"],
    ["without a number of its request", JSON.stringify({ failure: "nts_no_answer" })],
    ["without an outcome", JSON.stringify({ id: 1 })],
    ["a key too short", with_({ c2s: base64(31) })],
    ["a key too long", with_({ s2c: base64(33) })],
    ["a key that is no text", with_({ s2c: 1 })],
    ["no cookie", with_({ cookies: [] })],
    ["nine cookies", with_({ cookies: Array(9).fill(base64(100)) })],
    ["an empty cookie", with_({ cookies: [""] })],
    ["a cookie too long", with_({ cookies: [base64(1_025)] })],
    ["cookies that are no list", with_({ cookies: "aaaa" })],
    ["no host", with_({ host: null })],
    ["no port", with_({ port: "123" })],
  ] as const)
    it(`is refused: ${name}`, () => assert.equal(outcomeIn(text), null));

  it("is read whole from pieces, and a line too long ends the reading", () => {
    const stream = new PassThrough();
    const read: string[] = [];
    let excesses = 0;
    onEachLine(
      stream,
      (text) => read.push(text),
      () => (excesses += 1),
    );
    for (const piece of ["a", "b\nc\n", "\n", "d", `${"e".repeat(32_767)}\nf`]) stream.write(piece);
    assert.deepEqual([read, excesses], [["ab", "c", "", `d${"e".repeat(32_767)}`], 0]);
    for (const piece of [`\ng\n${"h".repeat(32_769)}`, "\ni\n"]) stream.write(piece);
    assert.deepEqual([read.length, excesses], [4, 1]);
  });
});

const address = "127.0.0.1";
const built = join(import.meta.dirname, "../../../dist/nts-key-exchange.js");
const directory = scratchDirectory();
const started = join(directory, "started");

/** The runtime, which notes the number of each process. */
const noted = join(directory, "node");
writeFileSync(noted, `#!/bin/sh\necho $$ >> ${started}\nexec ${process.execPath} "$@"\n`, { mode: 0o755 });

let authority: Authority;
let chronyds: readonly Chronyd[];

before(async () => {
  authority = createAuthority(scratchDirectory());
  const nts = authority.certify(address);
  chronyds = await Promise.all([1, 2, 3, 4].map(() => startChronyd({ nts })));
});

after(() => Promise.all(chronyds.map((chronyd) => chronyd.stop())));

function open(plan: Partial<KeyExchangeProcessPlan> = {}) {
  writeFileSync(started, "");
  const certificates = { caFile: authority.path, own: process.getuid?.(), directory: scratchDirectory() };
  return createKeyExchanges({ node: noted, script: built, ...certificates, ...plan });
}

/** Key exchanges with a program of this text in place of the built one. */
function opened(text: string, plan: Partial<KeyExchangeProcessPlan> = {}) {
  const script = join(scratchDirectory(), "program.cjs");
  writeFileSync(script, text);
  return open({ script, ...plan });
}

function requestTo(port: number | null | undefined): KeyRequest {
  return { host: address, address: { address, port: port ?? 0 }, atSeconds: null };
}

const processes = (): number[] => readFileSync(started, "utf8").trim().split("\n").map(Number);

function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

const untilEnded = (pid = 0) => until("the process has ended", () => !isRunning(pid));

function failing(outcome: KeyExchangeOutcome, pattern: RegExp): void {
  assert.ok(outcome.kind === "failed", JSON.stringify(outcome));
  assert.match(outcome.failure, pattern);
}

describe("the process of key exchanges", () => {
  it("is one for all servers that are asked within some seconds, then ends, and is followed by another", async () => {
    const exchanges = open({ idleMilliseconds: 1_000 });
    const ask = ({ ntsPort }: Chronyd) => exchanges.exchange(requestTo(ntsPort));
    const outcomes = [...(await Promise.all(chronyds.map(ask))), ...(await Promise.all(chronyds.map(ask)))];
    const found = outcomes.map((outcome) => {
      assert.ok(outcome.kind === "keys", JSON.stringify(outcome));
      return outcome.keys;
    });
    const seen = found.map(({ host, port, cookies }) => [host, port, cookies.length]);
    assert.deepEqual(
      seen,
      [...chronyds, ...chronyds].map(({ port }) => [address, port, 8]),
    );
    const keys = found.flatMap(({ c2s, s2c }) => [c2s, s2c]).map((key) => Buffer.from(key).toString("hex"));
    assert.equal(new Set(keys).size, 16);
    assert.equal(processes().length, 1);
    await untilEnded(processes()[0]);
    assert.equal((await exchanges.exchange(requestTo(chronyds[0]?.ntsPort))).kind, "keys");
    assert.equal(processes().length, 2);
    await untilEnded(processes()[1]);
  });

  it("is there before the first request where it was prepared, and ends without one", async () => {
    const exchanges = open({ idleMilliseconds: 1_000 });
    exchanges.prepare();
    await until("it has started", () => processes()[0] !== 0);
    assert.equal((await exchanges.exchange(requestTo(chronyds[0]?.ntsPort))).kind, "keys");
    assert.equal(processes().length, 1);
    exchanges.prepare();
    await untilEnded(processes()[0]);
  });

  it("is waited for where it starts later than an exchange may take, or answers later than its rest, and ends after it", async () => {
    const answer = (milliseconds: number) =>
      `process.stdin.once("data", () => setTimeout(() => console.log('{"id":1,"failure":"nts_refused"}'), ${milliseconds}));`;
    for (const [text, plan] of [
      [answer(300), {}],
      [`setTimeout(() => { console.log(""); ${answer(0)} }, 1_500)`, { longestMilliseconds: 1_000 }],
    ] as const) {
      const exchanges = opened(text, { idleMilliseconds: 50, ...plan });
      failing(await exchanges.exchange(requestTo(1)), /^nts_refused$/);
      await untilEnded(processes()[0]);
    }
  });

  it("says of each server why it gave no keys, while others give theirs", async () => {
    const exchanges = open();
    const [good, closed, stranger] = await Promise.all([
      exchanges.exchange(requestTo(chronyds[0]?.ntsPort)),
      exchanges.exchange(requestTo(1)),
      exchanges.exchange({ ...requestTo(chronyds[1]?.ntsPort), host: "other.example" }),
    ]);
    assert.equal(good.kind, "keys");
    failing(closed, /^nts_unreachable ECONNREFUSED$/);
    failing(stranger, /^nts_wrong_name /);
  });

  it("that crashes fails those who wait, and the next request has another", async () => {
    const exchanges = opened(`process.stdin.once("data", () => process.kill(process.pid, "SIGSEGV"))`);
    for (const _ of [1, 2]) {
      const waiting = [1, 2].map((port) => exchanges.exchange(requestTo(port)));
      const ended = /^nts_cannot_verify the process of key exchanges failed: it ended with SIGSEGV; the next/;
      for (const outcome of await Promise.all(waiting)) failing(outcome, ended);
    }
    assert.equal(processes().length, 2);
  });

  it("that hangs is killed, and the next request has another", async () => {
    // It ends some time after a test that was killed, or that has failed.
    const hanging = `const until = Date.now() + ${2_000 * longSeconds}; while (Date.now() < until);`;
    // The one hangs before it reads, the other once it does, which its empty line says.
    for (const [text, plan] of [
      [hanging, { startMilliseconds: 400 }],
      [`require("node:fs").writeSync(1, "\\n"); ${hanging}`, { longestMilliseconds: 400 }],
    ] as const) {
      const exchanges = opened(text, plan);
      for (const _ of [1, 2]) failing(await exchanges.exchange(requestTo(1)), /^nts_no_answer$/);
      const [first, second] = processes();
      assert.ok(first && second);
      await untilEnded(first);
      await untilEnded(second);
    }
  });

  for (const [name, text] of [
    ["that is no answer", `process.stdin.once("data", () => console.log("{}"))`],
    [
      "without end",
      `const more = () => { while (process.stdout.write("x".repeat(4096))); }; process.stdout.on("drain", more); more();`,
    ],
  ] as const)
    it(`that writes a line ${name} is killed`, async () => {
      const exchanges = opened(text);
      failing(await exchanges.exchange(requestTo(1)), /^nts_cannot_verify .*answer cannot be read/);
      await untilEnded(processes()[0]);
    });

  it("that cannot be started is a reason, and ends nothing", async () => {
    const missing = open({ node: "/nowhere/node" });
    failing(await missing.exchange(requestTo(1)), /^nts_cannot_verify .*ENOENT/);
    const empty = open({ script: "/nowhere/nts-key-exchange.js" });
    failing(await empty.exchange(requestTo(1)), /^nts_cannot_verify .*it ended with status 1/);
  });

  it("knows the authorities of time servers, and of this environment nothing", async () => {
    const place = { caFile: "/etc/steward/time.pem", own: undefined, directory: scratchDirectory() };
    const note = join(place.directory, "note");
    const text = `const { argv, env } = process;
require("node:fs").writeFileSync(${JSON.stringify(note)}, JSON.stringify([argv.slice(2), env]));`;
    await opened(text, { ...place, node: process.execPath }).exchange(requestTo(1));
    assert.deepEqual(JSON.parse(readFileSync(note, "utf8")), [
      [JSON.stringify({ caFile: place.caFile, directory: place.directory })],
      { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" },
    ]);
  });

  it("ends with its input, whatever is under way, and leaves no file", async (test) => {
    const silent = createServer();
    silent.listen(0, address);
    await once(silent, "listening");
    atEnd(test, () => void silent.close());
    const connected = once(silent, "connection");
    const place = scratchDirectory();
    const own = process.getuid?.();
    const child = spawn(process.execPath, [
      built,
      JSON.stringify({ caFile: authority.path, own, directory: place }),
    ]);
    const ended = once(child, "exit");
    const { port } = silent.address() as { port: number };
    child.stdin.write(requestLine({ id: 1, request: requestTo(port) }));
    await connected;
    child.stdin.end();
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(readdirSync(place), []);
  });
});
