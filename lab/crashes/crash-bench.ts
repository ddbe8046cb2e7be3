import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { UpdateKind } from "../../src/releases/release.ts";
import type { Ending } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import {
  current,
  isConsistent,
  journalOf,
  metadataVersions,
  neverBack,
  noLeftovers,
  runsWell,
} from "../installer/checks.ts";
import {
  copyDevice,
  type Device,
  type DeviceOptions,
  deviceIn,
  makeDevice,
  settle,
  stage,
} from "../installer/device.ts";
import { startEngine } from "../installer/engine.ts";
import {
  type InstallerOrder,
  runInstallerInProcess,
  underVirtualTime,
} from "../installer/installer-in-process.ts";
import { type Published, publishReleases } from "../installer/published.ts";
import { endPump } from "../installer/pump.ts";
import type { PackedRelease, ReleaseModel } from "../installer/releases.ts";
import { digestOfDirectory, type State } from "./power-cut.ts";

/** Seconds of the virtual clock: of the killed run, of the run after it in the same boot, of the next apply. */
export const clock = { crash: 1_000, recovery: 1_000.01, next: 2_000 };

/** A scenario says in which run the installer is killed, and how that may end. */
export interface Scenario {
  readonly name: string;
  readonly kind: UpdateKind;
  /** Each run starts from a copy of this device. */
  readonly template: Device;
  readonly order: InstallerOrder;
  readonly old: PackedRelease;
  readonly new: PackedRelease;
  /** The host file's. */
  readonly health: object;
  /** The current release when an undisturbed run of it has ended. */
  readonly ends: Side;
}

export type Side = "old" | "new";

/** Devices with releases of 1.0.0, and whatever they go through. */
export interface CrashBench {
  readonly published: Published;
  /** A device that has 1.0.0 of both kinds, and what the agent had staged at the second publication. */
  template(): Promise<Device>;
  /** The same, with a release on trial that nothing has been done for yet. */
  onTrial(kind: UpdateKind, version: string): Promise<Device>;
  apply(device: Device, kind: UpdateKind, version: string): Promise<void>;
  /** A run that nothing disturbs: it ends as it should. */
  undisturbed<T>(scenario: Scenario, run: (device: Device) => Promise<T>): Promise<T>;
  /**
   * One crash point: `kill` ends the installer somewhere in the middle. Then the files that are left are looked at, the
   * guard is run as the next start runs it, and the next release is applied. Gives back what was current between these
   * two.
   */
  survives(scenario: Scenario, kill: (device: Device) => Promise<void>): Promise<Side>;
  /** The same for what a run has left, or would have. What the guard leaves alike is gone on with once. */
  recovers(scenario: Scenario, state: State): Promise<Side>;
  /** The text with paths below the device, and versions instead of ids. */
  readable(text: string, device: Device): string;
}

/** Publishes 1.0.0, then 2.0.0 and an unhealthy 2.1.0, then 3.0.0, of both kinds. `directory` goes with the suite. */
export async function createCrashBench(suite: Ending, directory: string): Promise<CrashBench> {
  const kinds = ["rules", "binary"] as const;
  const all = (version: string, does: ReleaseModel["does"]): ReleaseModel[] =>
    kinds.map((kind) => ({ kind, version, does }));
  const second = [...all("2.0.0", "is well"), ...all("2.1.0", "is unwell")];
  const published = await publishReleases(directory, [
    all("1.0.0", "is well"),
    second,
    all("3.0.0", "is well"),
  ]);
  const engine = await startEngine(suite);
  const options = async (name: string, health: object = {}): Promise<DeviceOptions> => {
    const place = await mkdtemp(join(directory, `${name}-`));
    await chmod(place, 0o755);
    return { directory: place, port: await heldPort(), engine, health };
  };
  const apply: CrashBench["apply"] = async (device, kind, version) => {
    const { id } = published.release(kind, version);
    await runInstallerInProcess(device, { verb: "install", id }, { change: underVirtualTime(clock.next) });
    assert.equal((await current(device, published, kind)).version, version);
  };
  const fresh = await makeDevice(await options("fresh"), published.rootFile);
  await stage(fresh, published.stagedAt(0));
  for (const kind of kinds) await apply(fresh, kind, "1.0.0");
  endPump(fresh);

  const template = async (): Promise<Device> => {
    const device = await copyDevice(fresh, await options("template"));
    await stage(device, published.stagedAt(1));
    return device;
  };
  const startOf = async (scenario: Scenario): Promise<Device> => {
    endPump(scenario.template);
    return copyDevice(scenario.template, await options("device", scenario.health));
  };
  const end = async (device: Device): Promise<void> => {
    endPump(device);
    await rm(device.directory, { recursive: true });
  };
  const applied = new Set<string>();
  const goesOn = async (scenario: Scenario, device: Device): Promise<Side> => {
    const versions = await metadataVersions(scenario.template);
    await runInstallerInProcess(device, { verb: "guard" }, { change: underVirtualTime(clock.recovery) });
    const side = await hasRecovered(scenario, device, published);
    neverBack(versions, await metadataVersions(device));
    const left = `${scenario.name} ${await leftBy(device)}`;
    if (applied.has(left)) return side;
    applied.add(left);
    await stage(device, published.stagedAt(2));
    await apply(device, scenario.kind, "3.0.0");
    await isConsistent(device, published);
    await noLeftovers(device);
    await runsWell(device, published.release(scenario.kind, "3.0.0"));
    neverBack(versions, await metadataVersions(device));
    return side;
  };
  return {
    published,
    template,
    apply,
    onTrial: async (kind, version) => {
      const device = await template();
      const { id } = published.release(kind, version);
      await runInstallerInProcess(
        device,
        { verb: "put on trial", id },
        { change: underVirtualTime(clock.crash) },
      );
      return device;
    },
    undisturbed: async (scenario, run) => {
      const device = await startOf(scenario);
      const result = await run(device);
      assert.equal((await current(device, published, scenario.kind)).id, scenario[scenario.ends].id);
      await end(device);
      return result;
    },
    survives: async (scenario, kill) => {
      const device = await startOf(scenario);
      try {
        await kill(device);
        sideOf(scenario, await current(device, published, scenario.kind));
        return await goesOn(scenario, device);
      } finally {
        await end(device);
      }
    },
    recovers: async (scenario, { isEnd, from, put }) => {
      const where = await options("device", scenario.health);
      put(where.directory);
      const device = deviceIn(where.directory);
      await settle(device, where);
      await moveEngine(device, from);
      try {
        const side = sideOf(scenario, await current(device, published, scenario.kind));
        if (!isEnd) return await goesOn(scenario, device);
        // The disk has the order that was given, and with it the next thing to do.
        assert.equal(side, scenario.ends, "what was told");
        const recovered = await goesOn(scenario, device);
        assert.equal(
          recovered,
          scenario.order.verb === "put on trial" ? "new" : scenario.ends,
          "what was told",
        );
        return recovered;
      } finally {
        await end(device);
      }
    },
    readable: (text, { directory: own }) =>
      published.releases.reduce(
        (readable, { id, version }) => readable.replaceAll(id, version),
        text.replaceAll(`${own}/`, ""),
      ),
  };
}

/**
 * Points the engine to the rules at their new place: it was given a path in the directory where the device was before.
 */
async function moveEngine({ run, directory }: Device, from: string): Promise<void> {
  const path = join(run, "loaded");
  const loaded = await readFile(path, "utf8");
  await writeFile(path, loaded.replace(from, directory));
}

/** All that the next update finds, without where and when. */
async function leftBy(device: Device): Promise<string> {
  const { port } = JSON.parse(await readFile(join(device.run, "settings.json"), "utf8")) as { port: number };
  const readable = (text: string): string =>
    text
      .replaceAll(device.directory, "")
      .replaceAll(String(port), "PORT")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  // The output and the number of a binary's process differ from run to run and do not count.
  return digestOfDirectory(device.directory, readable, /^run\/(log|pid)$/);
}

async function hasRecovered(scenario: Scenario, device: Device, published: Published): Promise<Side> {
  const { kind, order } = scenario;
  const release = await current(device, published, kind);
  const side = sideOf(scenario, release);
  const isUnwell = scenario.new.does === "is unwell";
  if (isUnwell) assert.equal(side, "old", "an unhealthy release was kept");
  await isConsistent(device, published);
  // The engine of the rules always runs; the service runs once it was started on request.
  if (kind === "rules" || existsSync(join(device.run, "pid"))) await runsWell(device, release);
  const { setAside } = (await journalOf(device)).slots[kind];
  const isHeld = order.verb === "rollback" && side === "new";
  const expected = isUnwell ? [[scenario.new.id, "failed"]] : isHeld ? [[scenario.old.id, "held"]] : [];
  assert.deepEqual(
    setAside.map(({ id, why }) => [id, why]),
    expected,
    "the blocklist",
  );
  return side;
}

function sideOf(scenario: Scenario, release: PackedRelease): Side {
  const isOld = release.id === scenario.old.id;
  assert.ok(
    isOld || release.id === scenario.new.id,
    `${release.version} is current, which is neither of the two`,
  );
  return isOld ? "old" : "new";
}
