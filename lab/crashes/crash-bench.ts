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
import {
  type InstallerOrder,
  runInstallerInProcess,
  underVirtualTime,
} from "../installer/installer-in-process.ts";
import { type Published, publishReleases } from "../installer/published.ts";
import { endPump, startEngine } from "../installer/pump.ts";
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

export type CrashBench = Awaited<ReturnType<typeof createCrashBench>>;

const kinds = ["rules", "binary"] as const;

/** Publishes 1.0.0, then 2.0.0 and an unhealthy 2.1.0, then 3.0.0, of both kinds. `directory` goes with the suite. */
export async function createCrashBench(suite: Ending, directory: string) {
  const all = (version: string, does: ReleaseModel["does"] = "is well"): ReleaseModel[] =>
    kinds.map((kind) => ({ kind, version, does }));
  const second = [...all("2.0.0"), ...all("2.1.0", "is unwell")];
  const published = await publishReleases(directory, [all("1.0.0"), second, all("3.0.0")]);
  const engine = await startEngine(suite);
  const options = async (name: string, health: object = {}): Promise<DeviceOptions> => {
    const place = await mkdtemp(join(directory, `${name}-`));
    await chmod(place, 0o755);
    return { directory: place, port: await heldPort(), engine, health };
  };
  const at = (device: Device, order: InstallerOrder, startSeconds: number) =>
    runInstallerInProcess(device, order, { change: underVirtualTime(startSeconds) });
  const apply = async (device: Device, kind: UpdateKind, version: string): Promise<void> => {
    await at(device, { verb: "install", id: published.release(kind, version).id }, clock.next);
    assert.equal((await current(device, published, kind)).version, version);
  };
  const fresh = await makeDevice(await options("fresh"), published.rootFile);
  await stage(fresh, published.stagedAt(0));
  for (const kind of kinds) await apply(fresh, kind, "1.0.0");
  endPump(fresh);

  /** A device that has 1.0.0 of both kinds, and what the agent had staged at the second publication. */
  const template = async (): Promise<Device> => {
    const device = await copyDevice(fresh, await options("template"));
    await stage(device, published.stagedAt(1));
    return device;
  };
  const startOf = async (scenario: Scenario): Promise<Device> => {
    endPump(scenario.template);
    return copyDevice(scenario.template, await options("device", scenario.health));
  };
  const ended = async <T>(device: Device, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      endPump(device);
      await rm(device.directory, { recursive: true });
    }
  };
  const presentSide = async (scenario: Scenario, device: Device) =>
    sideOf(scenario, await current(device, published, scenario.kind));
  const applied = new Set<string>();
  /** The guard is run as the next start runs it, and the next release applied; what was current between the two. */
  const goesOn = async (scenario: Scenario, device: Device): Promise<Side> => {
    const versions = await metadataVersions(scenario.template);
    await at(device, { verb: "guard" }, clock.recovery);
    const side = await hasRecovered(scenario, device, published);
    neverBack(versions, await metadataVersions(device));
    // States that the guard leaves alike are gone on with once.
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
    /** The same, with a release on trial that nothing has been done for yet. */
    onTrial: async (kind: UpdateKind, version: string): Promise<Device> => {
      const device = await template();
      await at(device, { verb: "put on trial", id: published.release(kind, version).id }, clock.crash);
      return device;
    },
    /** A run that nothing disturbs: it ends as it should. */
    undisturbed: async <T>(scenario: Scenario, run: (device: Device) => Promise<T>): Promise<T> => {
      const device = await startOf(scenario);
      return ended(device, async () => {
        const result = await run(device);
        assert.equal(await presentSide(scenario, device), scenario.ends);
        return result;
      });
    },
    /** One crash point: `kill` ends the installer somewhere in the middle, and it goes on from the files that are left. */
    survives: async (scenario: Scenario, kill: (device: Device) => Promise<void>): Promise<Side> => {
      const device = await startOf(scenario);
      return ended(device, async () => {
        await kill(device);
        await presentSide(scenario, device);
        return goesOn(scenario, device);
      });
    },
    /** The same for what a run has left, or would have. */
    recovers: async (scenario: Scenario, { isEnd, from, put }: State): Promise<Side> => {
      const where = await options("device", scenario.health);
      put(where.directory);
      const device = deviceIn(where.directory);
      await settle(device, where);
      await moveEngine(device, from);
      return ended(device, async () => {
        const side = await presentSide(scenario, device);
        // The disk has the order that was given, and with it the next thing to do.
        if (isEnd) assert.equal(side, scenario.ends, "what was told");
        const recovered = await goesOn(scenario, device);
        const told = scenario.order.verb === "put on trial" ? "new" : scenario.ends;
        if (isEnd) assert.equal(recovered, told, "what was told");
        return recovered;
      });
    },
    /** The text with paths below the device, and versions instead of ids. */
    readable: (text: string, { directory: own }: Device): string =>
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
