import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import type { RootHelper } from "../../src/host/ports.ts";
import {
  createHelperRequests,
  createInstallerClient,
  createOwnTrialCheck,
  type InstallerClientOptions,
} from "../../src/programs/agent/installer-client.ts";
import { emptyJournal, releaseJournalText, type Trial } from "../../src/releases/release-journal.ts";

const id = "0123456789abcdef".repeat(2);
/** None of these installers is asked through the root helper. */
const helper: RootHelper = {
  ask: () => Promise.reject(new Error("root was asked")),
  mayBeAsked: true,
  absence: () => null,
};
const noSignal = new AbortController().signal;

it("requests to the installer through the root helper are orders of a quarter of an hour, and end with the agent's stop", async () => {
  const calls: unknown[] = [];
  const requests = createHelperRequests({ ...helper, ask: async (...call) => void calls.push(call) });
  await requests.ask({ verb: "install", id }, noSignal);
  await requests.ask({ verb: "rollback", kind: "binary" }, noSignal);
  const limits = { timeoutMilliseconds: 900_000, signal: noSignal };
  assert.deepEqual(calls, [
    [{ word: "install", id }, limits],
    [{ word: "rollback", kind: "binary" }, limits],
  ]);
});

describe("requests to an installer of our own user", () => {
  let directory = "";
  // The installer and the waiting for it hold no process open: an agent that stops does not stay for them.
  let awake: NodeJS.Timeout | undefined;
  before(() => {
    awake = setInterval(() => undefined, 1_000);
    directory = scratchDirectory();
    mkdirSync(join(directory, "state/updates"), { recursive: true });
  });
  after(() => clearInterval(awake));

  /** Makes a stand-in for installer.js that runs this body after its head. */
  const planWith = (body: string): InstallerClientOptions => {
    const script = join(directory, "installer.mjs");
    const head = `import { writeFileSync } from "node:fs"; const told = process.argv.slice(2); const releases = told[told.indexOf("--releases") + 1];`;
    writeFileSync(script, `${head}\n${body}\n`);
    return {
      directories: { releases: directory, trust: join(directory, "trust") },
      program: {
        ...{ node: process.execPath, script, state: join(directory, "state") },
        hostFile: join(directory, "steward.json"),
      },
      apply: { rules: null, binary: null },
      helper,
    };
  };
  const journal = JSON.stringify(releaseJournalText({ ...emptyJournal, sequence: 7 }));

  it("tells it where everything is, and settles when the journal has an outcome, though it still runs", async () => {
    const installer = createInstallerClient(
      planWith(`
        writeFileSync(releases + "/told", JSON.stringify(told));
        writeFileSync(releases + "/pid", String(process.pid));
        writeFileSync(releases + "/journal.json", ${journal});
        setTimeout(() => undefined, 30_000);`),
    );
    await installer.ask({ verb: "install", id }, noSignal);
    process.kill(Number(readFileSync(join(directory, "pid"), "utf8")));
    assert.deepEqual(JSON.parse(readFileSync(join(directory, "told"), "utf8")), [
      ...["install", id, "--releases", directory, "--trust", join(directory, "trust")],
      ...["--state", join(directory, "state"), "--host-file", join(directory, "steward.json")],
    ]);
  });

  it("says what it said last where it ends without an outcome; a rollback is taken as the agent's, with its limits", async () => {
    const plan = planWith(`console.error("No room.", told.slice(0, 2).join(" ")); process.exitCode = 3;`);
    await assert.rejects(createInstallerClient(plan).ask({ verb: "rollback", kind: "rules" }, noSignal), {
      code: "internal_error",
      message: "The installer ended with 3: No room. install rollbackrules",
    });
  });

  it("ends with the signal's reason, and what runs goes on", async () => {
    const body = `writeFileSync(releases + "/running", String(process.pid)); setTimeout(() => 0, 30_000);`;
    const installer = createInstallerClient(planWith(body));
    const ending = new AbortController();
    const asked = assert.rejects(installer.ask({ verb: "install", id }, ending.signal), /^Error: stopping$/);
    const running = () =>
      Number(existsSync(join(directory, "running")) && readFileSync(join(directory, "running"), "utf8"));
    await until("it runs", async () => running() > 1);
    ending.abort(new Error("stopping"));
    await asked;
    // Throws where there is no such process any more.
    process.kill(running());
  });

  it("hears of a journal that is put in the place of another", async () => {
    const installer = createInstallerClient(planWith(""));
    let heard = 0;
    const stop = installer.watch(() => {
      heard += 1;
    });
    writeFileSync(join(directory, ".draft"), "{}");
    renameSync(join(directory, ".draft"), join(directory, "journal.json"));
    await until("it is heard", async () => heard > 0);
    stop();
    assert.equal(Buffer.from((await installer.read()) ?? []).toString(), "{}");
  });
});

describe("whether a kind is set up", () => {
  const plan: InstallerClientOptions = {
    ...{ directories: { releases: "/nonexistent", trust: "/nonexistent" }, program: null },
    apply: { rules: null, binary: null },
    helper,
  };

  const planOf = ({ unit = null, url }: { unit?: string | null; url?: string }) => ({
    ...{ unit, activate: null, selfTest: null },
    health: {
      ...{ http: url === undefined ? [] : [{ url, status: 200, versionMember: null }], command: null },
      ...{ successes: 6, intervalSeconds: 5, withinSeconds: 300 },
    },
  });

  it("is what the host file says; without releases there is no journal", async () => {
    const apply = { rules: planOf({ unit: "pump.service" }), binary: null };
    const installer = createInstallerClient({ ...plan, apply });
    assert.deepEqual([installer.isSetUp("rules"), installer.isSetUp("binary")], [true, false]);
    assert.equal(await installer.read(), null);
  });

  const [port, other] = [{ url: "http://127.0.0.1:9000/" }, { url: "http://127.0.0.1:9001/" }];
  for (const [name, rules, binary, isOne] of [
    ["at one unit", { unit: "pump.service" }, { unit: "pump.service" }, true],
    ["at two units", { unit: "engine.service" }, { unit: "pump.service" }, false],
    ["at one address", { url: `${port.url}rules` }, port, true],
    ["at two addresses", port, other, false],
    ["by programs, with no unit and no address", {}, {}, false],
  ] as const)
    it(`says if rules need the binary for their health, which is asked ${name}`, () => {
      const apply = { rules: planOf(rules), binary: planOf(binary) };
      assert.equal(createInstallerClient({ ...plan, apply }).rulesNeedBinary(), isOne);
    });
});

describe("whether a release of this program is on trial", () => {
  const releases = scratchDirectory();
  const journal = join(releases, "journal.json");
  const look = (name: string) =>
    createOwnTrialCheck({
      installer: { directories: { releases, trust: releases }, program: null },
      product: { name },
    })();
  const trial: Trial = {
    ...{ release: { id, name: "steward", version: "2.0.0" }, phase: "confirming", boots: 1, crashes: 0 },
    ...{ begun_at: "2026-11-22T08:00:00.000Z", begun_uptime: 1, boot_id: "boot-1", deadline_uptime: 9 },
    ...{ health: { successes: 0, needed: 3, last: null, at: null }, undo: null },
  };
  const withTrial = (kind: "rules" | "binary") => ({
    ...emptyJournal,
    slots: { ...emptyJournal.slots, [kind]: { ...emptyJournal.slots[kind], trial } },
  });

  it("is so while the journal has a binary on trial, where that is this program", async () => {
    assert.equal(await look("steward"), false);
    writeFileSync(journal, releaseJournalText(withTrial("binary")));
    assert.deepEqual([await look("steward"), await look("pump")], [true, false]);
    writeFileSync(journal, releaseJournalText(withTrial("rules")));
    assert.equal(await look("steward"), false);
    writeFileSync(journal, "{");
    assert.equal(await look("steward"), false);
    assert.equal(await createOwnTrialCheck({ installer: null, product: { name: "steward" } })(), false);
  });
});
