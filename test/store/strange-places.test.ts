import assert from "node:assert/strict";
import { lstat, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { allEvents, change, openLog } from "../../lab/state/event-directory.ts";
import { keptFiles, onDisk, open } from "../../lab/state/state-directory.ts";
import { counterKind } from "../../lab/state/store-counter.ts";
import { createRescueToken } from "../../src/accounts/sign-in/rescue-token.ts";
import { createSetupToken } from "../../src/accounts/sign-in/setup-token.ts";
import { createSelfMade } from "../../src/certificates/self-made.ts";
import { readTransaction, transactionPath } from "../../src/device/configuration/transaction.ts";
import { createSignOwn } from "../../src/host/linux/certificates/self-signed.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";
import { readSealKeys } from "../../src/host/linux/host-file/seal-keys.ts";
import { openTimeFloor } from "../../src/installer/verify/time-floor.ts";
import { createKeptLines, keptFiles as lineFiles } from "../../src/journal/logs/kept-lines.ts";
import { createInstallerClient } from "../../src/programs/agent/installer-client.ts";
import { openPart } from "../../src/releases/download/payload-part.ts";
import { readSignedPayload } from "../../src/releases/signed-payload.ts";
import { openStaged } from "../../src/releases/staged-payload.ts";
import { createStateTools } from "../../src/store/documents/inspection.ts";
import { Register, readRegister } from "../../src/store/documents/register.ts";
import { takeLock } from "../../src/store/files/lock.ts";
import { createReserve, reserveBytes } from "../../src/store/files/reserve.ts";
import { readStateIdentity, writeStateIdentity } from "../../src/store/files/state-identity.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { counterOn, kindOf, plusOne } from "./fixture.ts";
import { putStrange, strangeFiles } from "./strange-files.ts";

interface Place {
  readonly test: TestContext;
  readonly directory: string;
  /** Puts the strange thing there. */
  readonly put: (name: string, options?: { isWritten: boolean }) => Promise<void>;
  readonly kind: string;
  readonly named: RegExp;
}

async function counted(directory: string): Promise<void> {
  const document = await open(directory, counterKind);
  await document.update(() => ({ counter: 7 }));
  await document.close();
}

const isFile = async (path: string): Promise<boolean> => (await lstat(path)).isFile();

/** Every file that a program of ours reads in a directory of the agent's, and what it does where that is something else. */
const places: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  "a document: its good copy is taken": async ({ directory, put, named }) => {
    await counted(directory);
    await put("counter.json");
    const details: string[] = [];
    const found = async ({ detail }: { detail: string }) => void details.push(detail);
    const document = await open(directory, counterKind, { isFirstStart: false, found });
    assert.deepEqual(document.read(), { counter: 7 });
    assert.match(details.join(), named);
    assert.match(details.join(), /^counter\.json (is|has) .*Its last good copy was taken/);
    await document.update(plusOne);
    await document.close();
    assert.equal(await counterOn(directory), 8);
    assert.equal((await keptFiles(directory, "counter")).length, 1, "what was there is kept");
  },
  "a document's good copy: it is made again": async ({ directory, put }) => {
    await counted(directory);
    await put("counter.good.json");
    await (await open(directory, counterKind, { isFirstStart: false })).close();
    assert.equal((await onDisk(directory, "counter.good.json")).counter, 7);
  },
  "both: the document is damaged, and nothing is lost": async ({ directory, put, named }) => {
    await put("counter.json");
    await put("counter.good.json");
    const opening = open(directory, counterKind, { isFirstStart: false });
    await assert.rejects(opening, { code: "state_damaged", message: named });
    const [entry] = await createStateTools(directory, [counterKind]).list();
    assert.equal(entry?.condition, "damaged");
    assert.match(entry.detail, named);
  },
  "a kept version: it is listed as damaged, and restores nothing": async ({ directory, put }) => {
    await counted(directory);
    const name = "counter.version-000001-20261120T080000Z.json";
    await put(name);
    const tools = createStateTools(directory, [counterKind]);
    const copies = (await tools.copies("counter")).map(({ from, condition }) => `${from} ${condition}`);
    assert.deepEqual(copies, ["good ok", `${name} damaged`]);
    await assert.rejects(tools.restore("counter", { from: name }), { code: "state_damaged" });
    assert.equal(await counterOn(directory), 7);
  },
  "the register: it begins anew, and says so": async ({ directory, put, named }) => {
    await put(".register.json");
    assert.equal(await readRegister(directory), null);
    const [finding] = (await Register.open(directory, [])).findings();
    assert.match(finding?.detail ?? "", named);
    const { findings = [] } = (await readRegister(directory)) ?? {};
    assert.deepEqual([findings[0]?.document, findings.length], ["register", 1]);
  },
  "the identity: it is unknown, and written again": async ({ directory, put }) => {
    await put(".identity.json");
    assert.equal(await readStateIdentity(directory), null);
    await writeStateIdentity(directory, { device_id: "0".repeat(32), untold: null });
    assert.equal((await readStateIdentity(directory))?.device_id, "0".repeat(32));
  },
  "the name of the lock's holder: the lock is had": async ({ directory, put }) => {
    await put(".lock", { isWritten: true });
    const lock = await takeLock(directory);
    const message = new RegExp(`in use by process ${process.pid}\\.`);
    await assert.rejects(takeLock(directory), { code: "state_locked", message });
    await lock.release();
  },
  "the reserve: it is made": async ({ directory, put }) => {
    await put(".reserve", { isWritten: true });
    assert.equal(await createReserve(directory).refill(), true);
    assert.equal((await lstat(join(directory, ".reserve"))).size, reserveBytes);
  },
  "the newest events: they are missing, and nothing is written there": async ({ test, directory, put }) => {
    const events = join(directory, "events");
    const first = await openLog(test, { directory: events });
    await first.events.record(change("anna"));
    await first.events.close();
    await put("events/changes-0000000000000002.jsonl");
    const before = await readdir(events);
    const next = await openLog(test, { directory: events });
    assert.match(next.events.trouble()?.detail ?? "", /cannot be verified/);
    await next.events.record(change("berta"));
    const names = (await allEvents(next.events)).map(({ subject }) => subject?.name);
    assert.deepEqual(names, ["anna", "berta"]);
    assert.equal((await readdir(events)).length, before.length + 1);
  },
  "the only events: a new file is begun": async ({ test, directory, put }) => {
    await mkdir(join(directory, "events"), { mode: 0o700 });
    await put("events/changes-0000000000000001.jsonl");
    const { events } = await openLog(test, { directory: join(directory, "events") });
    await events.record(change("anna"));
    assert.equal((await allEvents(events)).length, 1);
    assert.match(events.trouble()?.detail ?? "", /cannot be verified/);
  },
  "the kept lines: those of before are unread, new ones are kept": async ({ directory, put }) => {
    await put(lineFiles.present, { isWritten: true });
    await put(lineFiles.former);
    const kept = createKeptLines(directory);
    await kept.append(["first"]);
    assert.deepEqual(await kept.read(), ["first"]);
    await kept.append([`second ${"x".repeat(262_144)}`]);
    const lines = (await kept.read()).map((line) => line.slice(0, 6));
    assert.deepEqual(lines, ["first", "second"]);
  },
  "the setup token: none is right until there is a new one": async ({ directory, put }) => {
    const path = join(directory, "setup-token");
    await put("setup-token");
    const token = createSetupToken(path);
    for (const guess of ["", "{}", "content"]) assert.equal(await token.isRight(guess), false);
    token.renew();
    assert.equal(await token.isRight((await readFile(path, "utf8")).trim()), true);
  },
  "the rescue token: there is none": async ({ directory, put }) => {
    await put("rescue-token");
    const token = createRescueToken(join(directory, "rescue-token"), () => 100);
    assert.equal(await token.isOpen(), false);
    assert.equal(await token.use("", async () => "used"), null);
  },
  "key and certificate: both are made again": async ({ directory, put }) => {
    const tls = join(directory, "tls");
    await mkdir(tls);
    for (const name of ["key.pem", "certificate.pem"]) await put(`tls/${name}`);
    const now = () => new Date("2026-11-20T08:00:00Z");
    const wanted = () => ({ names: ["edge-7"], lanNames: [], addresses: [] });
    const signOwn = createSignOwn(createRunCommand(), directory);
    const surroundings = { mayMake: () => true, uptime: () => 100, log: () => undefined };
    const readOwn = createSelfMade({ directory: tls, signOwn, wanted, now, floor: now, ...surroundings });
    assert.match((await readOwn())?.certificate ?? "", /^-----BEGIN CERTIFICATE-----/);
    for (const name of ["key.pem", "certificate.pem"])
      assert.equal(await isFile(join(tls, name)), true, name);
  },
  "trusted metadata: they are damaged, and not absent": async ({ directory, put }) => {
    const files = await openMetadataFiles(directory);
    for (const deed of ["write", "remove", "clear"] as const) {
      await put("timestamp.json");
      assert.deepEqual(await files.read("timestamp"), new Uint8Array(), "no bytes, which no key has signed");
      if (deed === "write") await files.write("timestamp", Buffer.from("new"));
      else await files[deed]("timestamp");
      const after = await files.read("timestamp");
      assert.equal(after === null ? null : Buffer.from(after).toString(), deed === "write" ? "new" : null);
    }
  },
  "a staged payload: it is not what was signed": async ({ directory, put }) => {
    await put("staged.tar.gz");
    const payload = readSignedPayload({ length: 2 ** 31, hashes: { sha256: "0".repeat(64) } });
    const opening = openStaged(join(directory, "staged.tar.gz"), { ...payload, lengthBytes: 3 });
    await assert.rejects(opening, { code: "update_payload_mismatch" });
  },
  "a download's part: it begins anew": async ({ directory, put, kind }) => {
    const payload = readSignedPayload({ length: 3, hashes: { sha256: "0".repeat(64) } });
    await put(`${payload.id}.part`);
    const part = await openPart(directory, payload);
    assert.equal(part.lengthBytes(), 0, kind);
    await part.close();
  },
  "an interrupted configuration: it is damaged": async ({ directory, put }) => {
    await put(".transaction.json");
    await assert.rejects(readTransaction(directory), { code: "state_damaged" });
    assert.equal(transactionPath(directory), join(directory, ".transaction.json"));
  },
  "the release journal: it is damaged": async ({ directory, put, named }) => {
    await put("journal.json");
    const places = { directories: { releases: directory, trust: directory }, program: null };
    const { read } = createInstallerClient({ ...places, apply: {} as never, helper: {} as never });
    await assert.rejects(read(), { code: "state_damaged", message: named });
  },
  "the installer's floor of time: it is unknown": async ({ directory, put }) => {
    await put("time-floor.json");
    const [builtAt, wall] = [new Date("2026-11-01T00:00:00Z"), () => new Date(0)];
    const floor = await openTimeFloor({ directory, builtAt, wall, uptime: () => 500, bootId: "one" });
    assert.deepEqual(floor.now(), builtAt);
    await floor.raise(new Date("2026-11-20T08:00:00Z"));
    assert.equal(await isFile(join(directory, "time-floor.json")), true);
  },
  "the agent's key of second factors: it cannot be used, and is not replaced": async ({ directory, put }) => {
    await put(".seal.key");
    const [path, fallbackPath] = [join(directory, "absent"), join(directory, ".seal.key")];
    const reading = readSealKeys({ path, fallbackPath, credentialsDirectory: undefined });
    await assert.rejects(reading, { code: "second_factor_unavailable" });
    assert.equal((await readdir(directory)).includes(".seal.key"), true);
  },
};

for (const [kind, { named }] of Object.entries(strangeFiles))
  describe(`${kind} in the place of`, () => {
    for (const [name, check] of Object.entries(places))
      it(name, async (test) => {
        const directory = await temporaryDirectory(test);
        const put: Place["put"] = (file, options) =>
          putStrange(kind, { test, path: join(directory, file), ...options });
        await check({ test, directory, put, kind, named });
      });
  });

it("a document that no start would read is not written", async (test) => {
  const directory = await temporaryDirectory(test);
  const kind = kindOf<{ text: string }>(
    "long",
    "1.0.0",
    { text: { type: "string" } },
    { defaults: { text: "" } },
  );
  const document = await open(directory, kind);
  atEnd(test, () => document.close());
  await document.update(() => ({ text: "short" }));
  const change = document.update(() => ({ text: "x".repeat(32 * 1024 * 1024) }));
  const message = /^long\.json would be larger than 32 MiB/;
  await assert.rejects(change, { code: "storage_unwritable", message });
  assert.equal((await onDisk(directory, "long.json")).text, "short");
});
