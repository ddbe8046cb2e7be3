import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { counted } from "../../lab/basics/counts.ts";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import {
  becomes,
  bundleFixture,
  createHeldDisk,
  leftovers,
  onDisk,
  open as openStored,
  startAgent,
} from "../../lab/state/state-directory.ts";
import { counterKind } from "../../lab/state/store-counter.ts";

const kills = counted({ usual: 15, all: 200 });

describe("a writer that is killed", () => {
  it(`loses no acknowledged write and leaves a whole file, ${kills} times`, async (test) => {
    const directory = await temporaryDirectory(test);
    const program = await bundleFixture(await temporaryDirectory(test), "store-writer");
    let acknowledged = 0;
    let writes = 0;
    let cutShort = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      // Most of them while it writes; every fourth at any moment since its start, opening included.
      const values = await runAndKill(program, directory, kill % 4 === 0 ? "starting" : "writing");
      writes += values.length;
      acknowledged = values.at(-1) ?? acknowledged;
      cutShort += (await leftovers(directory)).length > 0 ? 1 : 0;
      const counter = existsSync(join(directory, "counter.json"))
        ? Number((await onDisk(directory, "counter.json")).counter)
        : 0;
      // One write at most was under way and not yet acknowledged.
      assert.ok(counter === acknowledged || counter === acknowledged + 1, `${counter}, not ${acknowledged}`);
      acknowledged = counter;
    }
    test.diagnostic(`${kills} kills, ${writes} acknowledged writes, ${cutShort} writes cut short`);
    assert.equal(writes > kills, true);
    assert.ok(cutShort > 0, "no kill has hit a write: this has proven nothing");
    const document = await openStored(directory, counterKind);
    assert.deepEqual(document.read(), { counter: acknowledged });
    assert.deepEqual(await leftovers(directory), []);
    await document.close();
  });
});

describe("an agent that is killed in its very first write", () => {
  it("finds a first start again, not damage", async (test) => {
    const directory = await temporaryDirectory(test);
    const disk = await createHeldDisk(test);
    disk.hold("users.json");
    const first = startAgent(test, { stateDirectory: directory, environment: disk.environment });
    // Rejects: the agent is killed before it listens.
    const ended = assert.rejects(first, /did not start/);
    await disk.waits("users.json");
    process.kill(await lockHolder(directory), "SIGKILL");
    await ended;
    assert.equal((await leftovers(directory)).length, 1);

    const second = await startAgent(test, { stateDirectory: directory });
    assert.deepEqual((await second.call("GET", "/api/setup")).json, { setup_required: true });
    assert.deepEqual((await second.call("GET", "/api/health")).json, { status: "ok" });
    assert.deepEqual(await leftovers(directory), []);
  });
});

/** Runs the writer and kills it at a random moment; returns what it had acknowledged. */
async function runAndKill(
  program: string,
  directory: string,
  moment: "starting" | "writing",
): Promise<number[]> {
  // A file takes each line whatever this process does meanwhile; a pipe without a reader is full in the end.
  const said = join(await mkdtemp(`${directory}-said-`), "lines");
  const output = await open(said, "w");
  const child = spawn(process.execPath, [program, directory], { stdio: ["ignore", output.fd, "inherit"] });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  if (moment === "writing") await becomes(async () => (await output.stat()).size > 0, 30);
  await delay(Math.random() * (moment === "writing" ? 40 : 180));
  child.kill("SIGKILL");
  await closed;
  assert.equal(child.signalCode, "SIGKILL", "the writer ended before it was killed");
  await output.close();
  // A line is written by one call, so only whole lines are there.
  const lines = await readFile(said, "utf8");
  await rm(dirname(said), { recursive: true });
  return lines.split("\n").filter(Boolean).map(Number);
}

async function lockHolder(directory: string): Promise<number> {
  return Number.parseInt(await readFile(join(directory, ".lock"), "utf8"), 10);
}
