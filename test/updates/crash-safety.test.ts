import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { counted } from "../../lab/basics/counts.ts";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { sampledStates, type Watched } from "../../lab/crashes/power-cut.ts";
import {
  type CrashHarness,
  createCrashHarness,
  type Ended,
  type Interruption,
} from "../../lab/crashes/refresh-crashes.ts";
import { type HostileServer, startHostileServer } from "../../lab/publisher/hostile-server.ts";
import { openServed } from "../../lab/publisher/served.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { createSigningKey } from "../../lab/publisher/signing-key.ts";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { caps } from "../../src/tuf/caps.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";

const roles = ["root", "timestamp", "snapshot", "targets", "rules", "binary"];

/** Each run starts from the template and must end at the version; only what is allowed may be there in between. */
interface Scenario {
  server: HostileServer;
  /** The state that each run starts from. */
  template: string;
  version: string;
  payload: Uint8Array;
  /** Calls that this scenario is about. */
  concerns: RegExp;
  leastCalls: number;
  /** By role: contents that may lie there, oldest first; null: none. */
  allowed: Record<string, (string | null)[]>;
}

describe("a device that is interrupted at each file operation of a refresh and a download", () => {
  const suite = endOfSuite();
  let harness: CrashHarness;
  before(async () => {
    harness = await createCrashHarness(suite);
  });

  const scenarios: [string, () => Promise<Scenario>][] = [
    ["with a new root and new versions of every role", () => ordinary()],
    ["with the metadata and half of the payload there already", () => resumed()],
    ["when a fast-forward attack ends by new keys (TUF 5.3.11)", () => fastForwarded()],
  ];
  for (const [name, prepare] of scenarios) {
    it(`is killed or without power there, and goes on with no hand: ${name}`, async (test) => {
      const scenario = await prepare();
      const { calls, points, states } = await watched(scenario);
      const concerned = calls.filter((call) => scenario.concerns.test(call));
      assert.ok(concerned.length >= scenario.leastCalls, `only ${concerned.length} calls were seen`);
      const tried = sampledStates(states, 6);
      for (const { where, isEnd, put } of tried) {
        const directory = join(await temporaryDirectory(suite), "left");
        put(directory);
        await recovers(scenario, directory, where, isEnd);
      }
      test.diagnostic(
        `${tried.length} of ${states.length} different states of ${points} points at ${concerned.length} calls, and each recovered`,
      );
      const kills = await killedForReal(scenario, calls);
      test.diagnostic(`${kills} of them by SIGKILL`);
    });
  }

  it("finds the disk full there, says so, loses nothing, and goes on when there is space", async (test) => {
    const scenario = await ordinary();
    const { calls } = await watched(scenario, /nothing but the end/);
    const codes: Record<string, number> = {};
    const every = counted({ usual: 8, all: 1 });
    for (let at = 1; at <= calls.length; at += every) {
      const code = await interrupted(scenario, at, "full");
      codes[code] = (codes[code] ?? 0) + 1;
      // A directory that cannot be synchronised holds the new file already: it is not known to stay, whatever the cause.
      const call = calls[at - 1] ?? "";
      const isDirectory = /^fsync \S*(metadata|downloads|staged)$/.test(call);
      assert.ok(
        code === "storage_full" || (isDirectory && code === "storage_unwritable"),
        `${code} at ${call}`,
      );
    }
    test.diagnostic(`at every ${every}. of ${calls.length} calls: ${JSON.stringify(codes)}`);
  });

  async function startOf({ template }: Scenario): Promise<string> {
    const directory = await temporaryDirectory(suite);
    await cp(template, directory, { recursive: true });
    return directory;
  }

  async function watched(scenario: Scenario, concerns = scenario.concerns): Promise<Watched<Ended>> {
    return harness.watch(await startOf(scenario), [scenario.server.origin, scenario.version], concerns);
  }

  /** Asserts that what a run has left is whole, and that the next run finishes it. */
  async function recovers(
    scenario: Scenario,
    directory: string,
    where: string,
    isEnd = false,
  ): Promise<void> {
    await holds(scenario, directory, where);
    // A run that has ended has all of its work on the disk.
    if (isEnd) await isDone(scenario, directory, where);
    await run(scenario, directory);
    await isDone(scenario, directory, where);
    await rm(directory, { recursive: true });
  }

  /** That a process that is killed leaves no other things than one that is held, at some of the calls. */
  async function killedForReal(scenario: Scenario, calls: readonly string[]): Promise<number> {
    const every = counted({ usual: 24, all: 1 });
    let kills = 0;
    for (const [index, call] of calls.entries()) {
      if (!scenario.concerns.test(call) || index % every !== 0) continue;
      for (const how of call.includes("write ") ? (["before", "half"] as const) : (["before"] as const)) {
        await interrupted(scenario, index + 1, how);
        kills += 1;
      }
    }
    // As the payload arrives, one run writes it in three parts and the next in five.
    const past = await runAt(scenario, 2 * calls.length, "before");
    assert.equal(past.ended.signal, null, "there are more calls than were counted");
    return kills;
  }

  async function runAt(scenario: Scenario, at: number, how: Interruption) {
    const directory = await startOf(scenario);
    const ended = await harness.run(directory, [scenario.server.origin, scenario.version], at, how);
    return { directory, ended };
  }

  /** Interrupts a run at one point, from which the next one recovers; gives back how it ended. */
  async function interrupted(scenario: Scenario, at: number, how: Interruption): Promise<string> {
    const { directory, ended } = await runAt(scenario, at, how);
    assert.equal(ended.signal, how === "full" ? null : "SIGKILL", `${how} ${at}`);
    await recovers(scenario, directory, `${how} ${at}`);
    return ended.output || `exit ${ended.code}`;
  }

  async function ordinary(): Promise<Scenario> {
    const repository = new SignedRepository();
    repository.addRelease({ version: "1.0.0" });
    repository.publish("targets", "rules", "binary");
    return follow(repository, () => {
      repository.keys.targets = [createSigningKey()];
      repository.publishRoot();
    });
  }

  async function resumed(): Promise<Scenario> {
    const scenario = await ordinary();
    const { server, template, payload, version } = scenario;
    await run(scenario, template);
    for (const name of ["downloads", "staged"]) await rm(join(template, name), { recursive: true });
    for (const contents of Object.values(scenario.allowed)) contents.splice(0, contents.length - 1);
    const target = [...server.files.keys()].find((path) => path.includes(`base-${version}`)) ?? "";
    const id = /([0-9a-f]{128})\./.exec(target)?.[1]?.slice(0, 32);
    assert.ok(id, "the payload is served");
    await mkdir(join(template, "downloads"), { recursive: true });
    await writeFile(join(template, "downloads", `${id}.part`), payload.subarray(0, 600_000));
    return { ...scenario, leastCalls: 8 };
  }

  async function fastForwarded(): Promise<Scenario> {
    const repository = new SignedRepository({ keyCounts: { timestamp: 2 } });
    repository.addRelease({ version: "1.0.0" });
    repository.publish("targets", "rules", "binary");
    const evil = repository.fork();
    evil.timestamp.version = 2 ** 40;
    evil.snapshot.version = 2 ** 40;
    evil.publishSnapshot();
    // One of the two keys stays, so the attacker's signatures by it still count.
    const change = () => {
      repository.keys.timestamp = [...(repository.keys.timestamp ?? []).slice(0, 1), createSigningKey()];
      repository.publishRoot();
    };
    const scenario = await follow(repository, change, evil);
    for (const role of ["timestamp", "snapshot"]) scenario.allowed[role]?.splice(1, 0, null);
    return { ...scenario, concerns: /(root|rotation|timestamp|snapshot)/ };
  }

  /** The device as it was under `old`, and then what the publisher does. */
  async function follow(
    repository: SignedRepository,
    change: () => void,
    old = repository,
  ): Promise<Scenario> {
    const server = await startHostileServer(suite, old.files);
    const template = await temporaryDirectory(suite);
    const files = await openMetadataFiles(`${template}/metadata`);
    await files.write("root", repository.metadata("1.root"));
    const { repository: served, close } = openServed({ url: server.origin, caps });
    const session = { repository: served, files, caps, verifiers: ed25519Only, start: new Date() };
    const refreshed = await refresh(session);
    for (const kind of ["rules", "binary"]) await refreshed.list("stable", kind);
    close();
    const allowed: Scenario["allowed"] = {};
    for (const role of roles) allowed[role] = [await textAt(template, role)];
    change();
    const payload = randomBytes(1_300_000);
    repository.addRelease({ version: "2.0.0", payload });
    repository.publish("targets", "rules");
    server.files = repository.files;
    const { root, snapshot, targets, delegated } = repository;
    allowed.root?.push(repository.metadata(`${root.version}.root`).toString());
    allowed.timestamp?.push(repository.metadata("timestamp").toString());
    allowed.snapshot?.push(repository.metadata(`${snapshot.version}.snapshot`).toString());
    allowed.targets?.push(repository.metadata(`${targets.version}.targets`).toString());
    allowed.rules?.push(repository.metadata(`${delegated.rules?.version}.rules`).toString());
    return { server, template, version: "2.0.0", payload, allowed, concerns: /./, leastCalls: 15 };
  }
});

/** Asserts that what is there is whole: an old or the new file of each role, and in staged only the whole payload. */
async function holds(scenario: Scenario, directory: string, where: string): Promise<void> {
  for (const [role, contents] of Object.entries(scenario.allowed)) {
    const text = await textAt(directory, role);
    assert.ok(contents.includes(text), `${where}: ${role} is ${text?.slice(0, 80)}`);
  }
  for (const name of await readdir(join(directory, "staged")).catch(() => [])) {
    const bytes = await readFile(join(directory, "staged", name));
    assert.ok(bytes.equals(scenario.payload), `${where}: ${name} is staged and is not the payload`);
  }
}

async function isDone(scenario: Scenario, directory: string, where: string): Promise<void> {
  for (const [role, contents] of Object.entries(scenario.allowed)) {
    assert.equal(await textAt(directory, role), contents.at(-1), `${where}: ${role} in the end`);
  }
  const [staged, ...more] = await readdir(join(directory, "staged")).catch(() => []);
  assert.ok(staged !== undefined, `${where}: nothing is staged in the end`);
  assert.deepEqual(more, [], where);
  const bytes = await readFile(join(directory, "staged", staged));
  assert.ok(bytes.equals(scenario.payload), `${where}: the payload in the end`);
  assert.deepEqual(await readdir(join(directory, "downloads")), [], `${where}: leftovers`);
  const kept = (await readdir(join(directory, "metadata"))).sort();
  assert.deepEqual(kept, roles.map((role) => `${role}.json`).sort(), `${where}: leftovers`);
}

/** The next run, with nothing in its way: it must succeed. */
async function run({ server, version }: Scenario, directory: string): Promise<void> {
  const { repository, close } = openServed({ url: server.origin, caps });
  const files = await openMetadataFiles(`${directory}/metadata`);
  const session = { repository, files, caps, verifiers: ed25519Only, start: new Date() };
  const refreshed = await refresh(session);
  const found = (await refreshed.list("stable", "rules")).find(({ path }) => path.includes(version));
  assert.ok(found, "the release is not found");
  const { signal } = new AbortController();
  await fetchPayload({ repository, found, directory, freeSpace, caps, signal, isConsistentSnapshot: true });
  close();
}

async function textAt(directory: string, role: string): Promise<string | null> {
  try {
    return await readFile(join(directory, "metadata", `${role}.json`), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
