import assert from "node:assert/strict";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { isOfChange, watchDisk } from "../../../lab/state/watched-disk.ts";
import type { StewardError } from "../../../src/contract/errors.ts";
import { finishWipe, isWipeRequested, requestWipe } from "../../../src/store/files/wipe.ts";

describe("the deletion of a state directory", () => {
  let directory: string;
  beforeEach(async () => {
    directory = scratchDirectory();
    await writeFile(join(directory, "users.json"), "{}");
    await writeFile(join(directory, ".seal.key"), "a key");
    await writeFile(join(directory, ".lock"), "1 agent\n");
    await mkdir(join(directory, "updates/staged"), { recursive: true });
    await writeFile(join(directory, "updates/staged/payload"), "bytes");
  });

  it("touches nothing that it was not asked for", async () => {
    assert.equal(await finishWipe(directory), false);
    assert.deepEqual((await readdir(directory)).sort(), [".lock", ".seal.key", "updates", "users.json"]);
  });

  it("leaves the lock alone, hidden files and directories go too", async () => {
    await requestWipe(directory);
    assert.equal(isWipeRequested(directory), true);
    assert.equal(await finishWipe(directory), true);
    assert.deepEqual(await readdir(directory), [".lock"]);
    assert.equal(await finishWipe(directory), false);
  });

  it("is on the disk before its request goes, and so is that before it is over", async (test) => {
    await mkdir(join(directory, "lost+found"));
    await requestWipe(directory);
    const calls = watchDisk(test);
    assert.equal(await finishWipe(directory), true);
    const done = calls.filter(isOfChange).map(({ what, path }) => `${what} ${relative(directory, path)}`);
    assert.deepEqual(done.slice(0, 3).sort(), ["rm .seal.key", "rm updates", "rm users.json"]);
    assert.deepEqual(done.slice(3), ["sync ", "rm .wipe", "sync "]);
    assert.deepEqual((await readdir(directory)).sort(), [".lock", "lost+found"]);
  });

  it("is continued after an interruption at any file", async () => {
    await requestWipe(directory);
    // No order of the deletions is promised: any half may be gone.
    await rm(join(directory, "users.json"));
    await rm(join(directory, "updates/staged"), { recursive: true });
    assert.equal(await finishWipe(directory), true);
    assert.deepEqual(await readdir(directory), [".lock"]);
  });

  it("gives the reserve up for its request on a full disk, without one it does not begin", async (test) => {
    const mount = await mountPrivately(test, 1);
    if (typeof mount === "string") return test.skip(mount);
    const reserve = join(mount.seen, ".reserve");
    await writeFile(reserve, "");
    // No file can be made any more: the directory and the reserve are all that there may be.
    mount.run('mount -o remount,nr_inodes=2 "$1"');
    await requestWipe(mount.seen);
    assert.deepEqual(await readdir(mount.seen), [".wipe"]);
    await rename(join(mount.seen, ".wipe"), join(mount.seen, "other"));
    const isFull = { code: "storage_full" };
    await assert.rejects(requestWipe(mount.seen), isFull);
    assert.equal(await isWipeRequested(mount.seen), false);
  });

  it("gives no reserve up where that does not help", async () => {
    await writeFile(join(directory, ".reserve"), "");
    // Neither of the two can be moved out of the way.
    for (const name of [".wipe/held", ".wipe.bad/held"])
      await mkdir(join(directory, name), { recursive: true });
    const isUnwritable = ({ code }: StewardError) => code === "storage_unwritable";
    await assert.rejects(requestWipe(directory), isUnwritable);
    assert.ok((await readdir(directory)).includes(".reserve"));
  });
});
