import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { finishWipe, isWipeRequested, requestWipe } from "../../../src/store/files/wipe.ts";

describe("the deletion of a state directory", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "steward-wipe-"));
    await writeFile(join(directory, "users.json"), "{}");
    await writeFile(join(directory, ".seal.key"), "a key");
    await writeFile(join(directory, ".lock"), "1 agent\n");
    await mkdir(join(directory, "updates/staged"), { recursive: true });
    await writeFile(join(directory, "updates/staged/payload"), "bytes");
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it("touches nothing that it was not asked for", async () => {
    assert.equal(await finishWipe(directory), false);
    assert.deepEqual((await readdir(directory)).sort(), [".lock", ".seal.key", "updates", "users.json"]);
  });

  it("leaves the lock alone, hidden files and directories go too", async () => {
    await requestWipe(directory);
    assert.equal(await isWipeRequested(directory), true);
    assert.equal(await finishWipe(directory), true);
    assert.deepEqual(await readdir(directory), [".lock"]);
    assert.equal(await finishWipe(directory), false);
  });

  it("is continued after an interruption at any file", async () => {
    await requestWipe(directory);
    // What is deleted first is not said anywhere: any half may be gone.
    await rm(join(directory, "users.json"));
    await rm(join(directory, "updates/staged"), { recursive: true });
    assert.equal(await finishWipe(directory), true);
    assert.deepEqual(await readdir(directory), [".lock"]);
  });
});
