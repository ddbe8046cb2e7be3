import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { counted } from "../../lab/basics/counts.ts";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { createKillable } from "../../lab/crashes/killable.ts";
import { sampledStates } from "../../lab/crashes/power-cut.ts";
import {
  add,
  keysOf,
  makeSite,
  publishAll,
  type Site,
  surroundings,
  today,
} from "../../lab/publisher/site.ts";
import { discardDrafts, planDiscard } from "../../src/publishing/drafts/discard.ts";
import { planPruning, prune } from "../../src/publishing/prune/prune.ts";
import { publish } from "../../src/publishing/publish.ts";
import type { RoleName } from "../../src/publishing/roles.ts";
import { readState } from "../../src/publishing/state.ts";
import { type Workspace, withWorkspace } from "../../src/publishing/workspace.ts";
import { type Device, makeDevice } from "./clients.ts";
import { renewed } from "./fixture.ts";

interface Scenario {
  readonly name: string;
  /** The process does this when it is killed. */
  readonly what: "publish" | "only-rules" | "discard" | "prune";
  prepare(site: Site): Promise<void>;
  /** A device finds the first after the kill, or the second already; null: nothing. */
  readonly before: string | null;
  readonly after: string;
}

const old = "stable/rules/demo-rules-1.0.0.tar.gz";
const fresh = "stable/rules/demo-rules-1.1.0.tar.gz";

/** Rules 1.0.0 are published, and 1.1.0 are drafted with new keys of timestamp, snapshot and targets. */
async function prepareBoth(site: Site): Promise<void> {
  await add(site);
  await publishAll(site);
  await add(site, { version: "1.1.0" });
  await renewed(site, "root", { roles: ["timestamp", "snapshot", "targets"] });
}

const scenarios: Scenario[] = [
  {
    ...{ name: "the first publish", what: "publish", before: null, after: old },
    prepare: async (site) => void (await add(site)),
  },
  {
    name: "the publish of a release together with new keys of timestamp, snapshot and targets",
    ...{ what: "publish", before: old, after: fresh, prepare: prepareBoth },
  },
  {
    name: "the publish of rules alone while a root without its old key waits",
    ...{ what: "only-rules", before: old, after: fresh },
    prepare: async (site) => {
      await prepareBoth(site);
      await discardRole(site, "targets");
      unsign(site, "root");
    },
  },
  { name: "the discarding of all drafts", what: "discard", before: old, after: old, prepare: prepareBoth },
  {
    name: "a prune that drops a release and removes the files of another",
    ...{ what: "prune", before: fresh, after: fresh },
    prepare: async (site) => {
      for (const version of ["0.9.0", "1.0.0", "1.1.0"]) {
        await add(site, { version });
        await publishAll(site);
      }
      await pruneTo(site.workspace, 2);
      await publishAll(site);
    },
  },
];

const source = join(import.meta.dirname, "publish-once.ts");
const program = await createKillable(await temporaryDirectory(endOfSuite()), source);
const wordsFor = (directory: string, what: Scenario["what"]) => [directory, today.toISOString(), what];

for (const { name, what, prepare, before, after } of scenarios) {
  describe(`${name}, killed or without power at any file operation`, () => {
    it("leaves a repository that devices read, and the next one ends it", async (test) => {
      const site = await makeSite(test);
      await prepare(site);
      const scratch = join(site.scratch, "runs");
      const recovers = async (directory: string, isEnd: boolean, where: string) => {
        const devices = await devicesFor(site, before !== null);
        await requireReadable(devices, directory, isEnd ? [after] : [before, after], where);
        await withWorkspace(directory, surroundings, (workspace) => goOn(workspace, what));
        await requireReadable(devices, directory, [after], where);
        assert.deepEqual(strayFiles(directory), [], where);
        rmSync(directory, { recursive: true });
      };
      const watchedSite = join(scratch, "watched");
      cpSync(site.directory, watchedSite, { recursive: true });
      const watched = await program.watch(wordsFor(watchedSite, what), { directory: watchedSite });
      const { calls, points, states, ended } = watched;
      assert.equal(ended.code, 0, ended.output);
      const fewest = what === "discard" || what === "prune" ? 8 : 40;
      assert.ok(calls.length > fewest, `${calls.length} calls were seen`);
      // Both ways to publish write alike: a smaller part of the states of the second is enough here.
      const tried = sampledStates(states, what === "only-rules" ? 32 : 20);
      for (const { where, isEnd, put } of tried) {
        const directory = join(scratch, "left");
        put(directory);
        await recovers(directory, isEnd, where);
      }
      test.diagnostic(
        `${tried.length} of ${states.length} different states of ${points} points at ${calls.length} calls`,
      );
      const every = counted({ usual: 90, all: 1 });
      for (let at = 1; at <= calls.length; at += every) {
        const directory = join(scratch, "killed");
        cpSync(site.directory, directory, { recursive: true });
        const how = { directory, at, how: "half" } as const;
        const { signal } = await program.interrupted(wordsFor(directory, what), how);
        assert.equal(signal, "SIGKILL");
        await recovers(directory, false, `killed at ${at}`);
      }
    });
  });
}

/** Does what a publisher types again after the cut. */
async function goOn(workspace: Workspace, what: Scenario["what"]): Promise<void> {
  const keys = await keysOf(workspace);
  if (what === "only-rules") await publish(workspace, keys, { only: ["rules"] });
  else if (what === "publish") await publishAll({ workspace });
  else if (what === "prune") {
    await pruneTo(workspace, 1);
    await publishAll({ workspace });
  } else {
    const state = await readState(workspace);
    const isLeft = Object.values(state.drafts).some((draft) => draft !== null);
    if (isLeft) await discardDrafts(workspace, state, { discarded: planDiscard(workspace, state), keys });
    await publishAll({ workspace });
    assert.deepEqual(readdirSync(workspace.payloads), []);
  }
}

async function pruneTo(workspace: Workspace, keep: number): Promise<void> {
  const request = { kinds: ["rules"], keep, keepVersions: [] } as const;
  await prune(workspace, await planPruning(workspace, request), await keysOf(workspace));
}

async function discardRole({ workspace }: Site, role: RoleName): Promise<void> {
  const state = await readState(workspace);
  await discardDrafts(workspace, state, { discarded: planDiscard(workspace, state, role), keys: [] });
}

/** Removes the signatures, as from a draft whose keys are elsewhere. */
function unsign({ workspace }: Site, role: RoleName): void {
  const path = join(workspace.drafts, `${role}.json`);
  const { signed } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ signatures: [], signed }));
}

/** One knows only the first root, and with `hasBefore` another has read what was there before. */
async function devicesFor({ directory }: { directory: string }, hasBefore: boolean) {
  const open = join(directory, "public");
  const file = join(open, "metadata", "1.root.json");
  const root = readFileSync(existsSync(file) ? file : join(directory, "draft", "root.json"));
  const devices = [makeDevice(root)];
  if (hasBefore) {
    const device = makeDevice(root);
    await newest(device, open);
    devices.push(device);
  }
  return devices;
}

async function requireReadable(
  devices: readonly Device[],
  directory: string,
  expected: readonly (string | null)[],
  where: string,
): Promise<void> {
  const open = join(directory, "public");
  if (!existsSync(join(open, "metadata", "timestamp.json"))) {
    assert.ok(expected.includes(null), `${where}: nothing is published`);
    return;
  }
  for (const device of devices) {
    const found = await newest(device, open).catch((cause: unknown) => {
      throw new Error(`${where}: ${cause}`, { cause });
    });
    assert.ok(expected.includes(found), `${where}: a device finds ${found}, not ${expected.join(" or ")}`);
  }
}

async function newest(device: Device, open: string): Promise<string | null> {
  const targets = await (await device.refresh(open)).list("stable", "rules");
  for (const { path, file } of targets) {
    const hashed = path.replace(/[^/]+$/, (name) => `${file.hashes.sha512}.${name}`);
    assert.ok(existsSync(join(open, "targets", hashed)), `the payload of ${path} is there`);
  }
  const paths = targets.map(({ path }) => path);
  return paths.includes(fresh) ? fresh : paths.includes(old) ? old : null;
}

function strayFiles(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /(^|\/)\.[^/]+$/.test(name) && name !== ".lock");
}
