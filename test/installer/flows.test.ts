import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { current, isConsistent, journalOf, runsWell } from "../../lab/installer/checks.ts";
import {
  copyDevice,
  type Device,
  type DeviceOptions,
  makeDevice,
  stage,
} from "../../lab/installer/device.ts";
import {
  type InstallerOrder,
  runInstallerInProcess,
  underVirtualTime,
} from "../../lab/installer/installer-in-process.ts";
import { type Published, publishReleases } from "../../lab/installer/published.ts";
import { endPump, startEngine } from "../../lab/installer/pump.ts";
import { quickDirectory } from "../../lab/installer/quick-directory.ts";
import { type PackedRelease, type ReleaseModel, treeHash } from "../../lab/installer/releases.ts";
import { errorCodes } from "../../src/contract/error-codes.ts";
import type { ReleaseHost } from "../../src/host/release-ports.ts";
import type { UpdateKind } from "../../src/releases/release.ts";
import type { JournalEntry } from "../../src/releases/release-journal.ts";

const kinds = ["rules", "binary"] as const;

const second: readonly ReleaseModel[] = [
  { kind: "rules", version: "2.0.0", does: "is well" },
  { kind: "rules", version: "2.1.0", does: "is unwell" },
  { kind: "rules", version: "2.2.0", does: "does not load" },
  { kind: "binary", version: "2.0.0", does: "is well" },
  { kind: "binary", version: "2.1.0", does: "is unwell" },
  { kind: "binary", version: "2.2.0", does: "exits" },
  { kind: "binary", version: "2.3.0", does: "hangs" },
  { kind: "binary", version: "2.4.0", does: "fails later", afterAnswers: 4 },
];

/** A clock that runs by its own pauses: a release gets as many health checks on a slow host as on a quick one. */
const byPauses = underVirtualTime(1_000);

describe("a release on trial", { concurrency: 2 }, () => {
  const suite = endOfSuite();
  let directory = "";
  let engine = "";
  let published: Published;
  let fresh: Device;

  before(async () => {
    directory = await quickDirectory(suite);
    engine = await startEngine(suite);
    const well = (version: string): ReleaseModel[] =>
      kinds.map((kind) => ({ kind, version, does: "is well" as const }));
    published = await publishReleases(directory, [
      well("1.0.0"),
      second,
      [...well("3.0.0"), ...well("4.0.0"), ...well("5.0.0")],
    ]);
    fresh = await makeDevice(await options(), published.rootFile);
    await stage(fresh, published.stagedAt(0));
    for (const kind of kinds) await install(fresh, kind, "1.0.0");
    endPump(fresh);
  });

  describe("that is bad", () => {
    const bad: [UpdateKind, string, RegExp][] = [
      ["rules", "2.1.0", /503/],
      ["rules", "2.2.0", /load\.sh failed with status 1: load: \S+ holds no rules/],
      ["binary", "2.1.0", /503/],
      ["binary", "2.2.0", /ECONNREFUSED|refused/],
      ["binary", "2.3.0", /within|answer|time/],
    ];
    for (const [kind, version, reason] of bad) {
      it(`ends failed within its deadline, and is not taken again: ${kind} ${version}`, async (test) => {
        // One that never answers takes five real seconds for each health check.
        const device = await deviceOf(test, { within: version === "2.3.0" ? "200ms" : "2s" });
        await install(device, kind, version, byPauses);
        const entry = await last(device);
        assert.equal(entry.outcome, "failed", entry.detail);
        assert.equal(entry.version, version);
        assert.equal(entry.restored_healthy, true);
        assert.match(entry.detail, reason);
        assert.ok(entry.seconds <= 5, `it was tried for ${entry.seconds} s`);
        isBounded(entry.log);
        await isBack(device, kind, version);
        await refusedAgain(device, kind, version);
        await stage(device, published.stagedAt(2));
        await install(device, kind, "3.0.0", byPauses);
        await isAtWork(device, kind, "3.0.0");
      });
    }

    it("is caught by a watch that is longer than it is well", async (test) => {
      const device = await deviceOf(test, { successes: 6, within: "2s" });
      await install(device, "binary", "2.4.0", byPauses);
      assert.equal((await last(device)).outcome, "failed");
      await isBack(device, "binary", "2.4.0");
    });
  });

  it("is applied, rolled back and refused by the built program", async (test) => {
    const device = await deviceOf(test);
    const { id } = published.release("rules", "2.0.0");
    const ends = async (exit: number, words: readonly string[], version?: string): Promise<string> => {
      const { code, stderr } = await builtProgram(device, ...words);
      assert.equal(code, exit, stderr);
      if (version !== undefined) await isAtWork(device, "rules", version);
      return stderr;
    };
    await ends(0, ["install", id], "2.0.0");
    await ends(0, ["install", "rollbackrules"], "1.0.0");
    await ends(0, ["install", id], "2.0.0");
    // As the agent asks; it has had its rollback of this release.
    const agents = await ends(errorCodes.rollback_needs_root.exit, ["install", "rollbackrules"]);
    assert.match(agents, /gone back from it once already.*steward update rollback rules --as-root/);
    await ends(0, ["rollback", "rules"], "1.0.0");
    const none = await ends(errorCodes.nothing_to_roll_back.exit, ["rollback", "rules"]);
    assert.match(none, /There is no earlier release of rules on this device/);
    await ends(0, ["guard"], "1.0.0");
  });

  it("changes neither the product's settings nor the agent's state, whatever comes of it", async (test) => {
    const device = await deviceOf(test, { within: "2s" });
    const { state, directory, run: own } = device;
    const all = async () => {
      const hashes = await Promise.all([state, join(directory, "etc")].map(treeHash));
      return [...hashes, await readFile(join(own, "settings.json"), "utf8")];
    };
    const before = await all();
    for (const version of ["2.1.0", "2.0.0"]) await install(device, "binary", version, byPauses);
    await run(device, { verb: "rollback", kind: "binary" });
    assert.deepEqual(await all(), before);
  });

  async function options(health: object = {}): Promise<DeviceOptions> {
    const place = await mkdtemp(join(directory, "device-"));
    return { directory: place, port: await heldPort(), engine, health, plan: {} };
  }

  /** A device with 1.0.0 of both kinds, and all of the second publication staged. */
  async function deviceOf(test: { after(clean: () => void): void }, health = {}): Promise<Device> {
    const device = await copyDevice(fresh, await options(health));
    test.after(() => endPump(device));
    await stage(device, published.stagedAt(1));
    return device;
  }

  async function install(
    device: Device,
    kind: UpdateKind,
    version: string,
    change?: (host: ReleaseHost) => ReleaseHost,
  ): Promise<void> {
    await run(device, { verb: "install", id: published.release(kind, version).id }, change);
  }

  function run(
    device: Device,
    what: InstallerOrder,
    change: (host: ReleaseHost) => ReleaseHost = (host) => host,
  ): Promise<void> {
    return runInstallerInProcess(device, what, { change });
  }

  async function isAtWork(device: Device, kind: UpdateKind, version: string): Promise<void> {
    const release: PackedRelease = await current(device, published, kind);
    assert.equal(release.version, version);
    await isConsistent(device, published);
    await runsWell(device, release);
  }

  async function isBack(device: Device, kind: UpdateKind, version: string): Promise<void> {
    const { setAside } = (await journalOf(device)).slots[kind];
    const found = setAside.map((one) => [one.version, one.why, one.until]);
    assert.deepEqual(found, [[version, "failed", null]]);
    await isAtWork(device, kind, "1.0.0");
  }

  async function refusedAgain(device: Device, kind: UpdateKind, version: string): Promise<void> {
    await assert.rejects(install(device, kind, version), { code: "update_not_acceptable" });
    assert.equal((await last(device)).outcome, "refused");
    await isAtWork(device, kind, "1.0.0");
  }
});

/** Kept, and nothing in it that a terminal would obey. */
function isBounded(log: readonly string[]): void {
  assert.ok(log.length > 0 && log.length <= 60, `${log.length} lines are kept`);
  for (const line of log) {
    assert.ok(line.length <= 400, `a line of ${line.length} characters`);
    assert.doesNotMatch(line, /\p{Cc}/u);
  }
}

/** Runs `dist/installer.js` with the places of this device. */
function builtProgram({ directories, state, hostFile }: Device, ...words: string[]) {
  const where = ["--releases", directories.releases, "--trust", directories.trust, "--state", state];
  const program = join(import.meta.dirname, "../../dist/installer.js");
  const child = spawn(process.execPath, [program, ...words, ...where, "--host-file", hostFile], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stderr }));
  });
}

async function last(device: Device): Promise<JournalEntry> {
  const entry = (await journalOf(device)).history.at(-1);
  assert.ok(entry, `nothing has ended: ${await readFile(join(device.run, "log"), "utf8").catch(() => "")}`);
  return entry;
}
