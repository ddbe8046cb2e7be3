import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { atEnd, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { fill, mountOrSkip, type PrivateMount } from "../../../lab/state/private-mount.ts";
import { comes, comesToRest } from "../../../lab/state/state-directory.ts";
import { replaced } from "../../../lab/state/watched-disk.ts";
import { Disk } from "../../../src/store/files/disk.ts";
import { createReserve, type Reserve, reserveBytes } from "../../../src/store/files/reserve.ts";
import { processTime } from "../../../src/store/files/store-time.ts";

describe("the disk that the state lies on", () => {
  it("says that the reserve does not exist where there is no space for it, and that again when it is given up", async (test) => {
    const set = await diskOf(test, 20);
    if (!set) return;
    const { disk, reserve, mount } = set;
    await disk.look();
    const text = disk.trouble()?.detail ?? "all is well";
    assert.match(text, /^The reserve on .*, does not exist: .* takes 8 MiB, and is made when 24 MiB/);
    mount.run('mount -o remount,size=48m "$1"');
    await disk.look();
    assert.equal(disk.trouble(), null);
    await fill(mount);
    assert.equal(await reserve.release(), true);
    assert.match(disk.trouble()?.detail ?? "all is well", /^The reserve on .*, does not exist/);
    assert.equal(disk.trouble()?.code, "disk_reserve_missing");
    mount.run('rm "$1/.filler"');
    await disk.look();
    assert.equal(disk.trouble(), null);
  });

  it("is not worn by a reserve that it takes only a part of, however much it says is free", async (test) => {
    const seen = await temporaryDirectory(test);
    // As with a quota: the file system has space, and refuses this file half-way.
    const limit = (bytes: string) =>
      execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
    const stay = () => undefined;
    process.on("SIGXFSZ", stay);
    atEnd(test, () => {
      limit("unlimited");
      process.off("SIGXFSZ", stay);
    });
    limit("4194304");
    let now = 0;
    const reserve = createReserve(seen, () => now);
    assert.equal(await reserve.refill(), false);
    now = 599;
    assert.equal(await reserve.refill(), false);
    await assert.rejects(stat(join(seen, ".reserve")), { code: "ENOENT" });
    limit("unlimited");
    assert.equal(await reserve.refill(), false);
    now = 600;
    assert.equal(await reserve.refill(), true);
    assert.equal((await stat(join(seen, ".reserve"))).size, reserveBytes);
  });

  it("is tried again at once where it took nothing of the reserve", async (test) => {
    const set = await diskOf(test, 48);
    if (!set) return;
    const { mount } = set;
    const reserve = createReserve(mount.seen, () => 0);
    mount.run('mount -o remount,nr_inodes=1 "$1"');
    assert.equal(await reserve.refill(), false);
    mount.run('mount -o remount,nr_inodes=9 "$1"');
    assert.equal(await reserve.refill(), true);
  });

  it("has no reserve where it does not confirm that it has written it", async (test) => {
    const directory = await temporaryDirectory(test);
    const { own: open, put: opening } = replaced(test, fs.promises, "open");
    opening(async (...given) => {
      const file = await open(...given);
      file.sync = () => Promise.reject(Object.assign(new Error("EIO: …"), { code: "EIO" }));
      return file;
    });
    assert.equal(await createReserve(directory).refill(), false);
    await assert.rejects(stat(join(directory, ".reserve")), { code: "ENOENT" });
  });

  it("is looked at every 5 s while something is wrong, else every 30 s, until that is stopped", async (test) => {
    const world = createVirtualTime();
    const set = await diskOf(test, 20, world.hostTimers);
    if (!set) return;
    const { disk, mount } = set;
    const isAwaited = (seconds: number) => comes(`a look in ${seconds} s`, () => world.dueIn(seconds) === 1);
    disk.start();
    await isAwaited(5);
    mount.run('mount -o remount,size=48m "$1"');
    world.pass(5);
    await isAwaited(30);
    assert.equal(disk.trouble(), null);
    world.pass(30);
    await isAwaited(30);
    disk.stop();
    assert.equal(world.dueIn(30), 0);
    let hasLooked = false;
    disk.observe(() => {
      hasLooked = true;
    });
    disk.start();
    disk.stop();
    await comes("the look ends", () => hasLooked);
    await comesToRest();
    assert.equal(world.dueIn(15), 0, "nor behind a look that had begun");
  });

  it("is read once for each look, and again only when the reserve has gone or come back", async (test) => {
    const directory = await temporaryDirectory(test);
    const { own: readFileSync, put } = replaced(test, fs, "readFileSync");
    let reads = 0;
    put(((path: string, ...rest: []) => {
      if (path === "/proc/self/mountinfo") reads += 1;
      return readFileSync(path, ...rest);
    }) as typeof readFileSync);
    let hasSpace = true;
    const reserve = { release: async () => false, isGivenUp: () => false, refill: async () => hasSpace };
    const disk = Disk.open(directory, reserve, { ...processTime, timers: createVirtualTime().hostTimers });
    let looks = 0;
    const stop = disk.observe(() => {
      looks += 1;
    });
    disk.start();
    await comes("the reserve was looked at", () => looks === 1);
    disk.stop();
    stop();
    assert.equal(reads, 1, "the start goes by what the opening has seen");
    await disk.look();
    assert.equal(reads, 2);
    hasSpace = false;
    await disk.look();
    assert.deepEqual([reads, disk.trouble()?.code], [4, "disk_reserve_missing"]);
    await disk.look();
    assert.deepEqual([reads, disk.trouble()?.code], [5, "disk_reserve_missing"]);
    hasSpace = true;
    await disk.look();
    assert.deepEqual([reads, disk.trouble(), looks], [7, null, 1]);
  });
});

describe("a view of the file system that is read-only", () => {
  /** As the kernel would tell of the directory: the options of the view, and of the file system. */
  async function viewed(test: TestContext, first: string) {
    const directory = await temporaryDirectory(test);
    const { own: readFileSync, put } = replaced(test, fs, "readFileSync");
    const mounted = (ways: string) =>
      put(((path: string, ...rest: []) =>
        path === "/proc/self/mountinfo"
          ? `450 442 254:0 / / ${ways.replace(" ", " - ext4 /dev/root ")}`
          : readFileSync(path, ...rest)) as typeof readFileSync);
    mounted(first);
    const refills: number[] = [];
    const refill = async () => refills.push(1) > 0;
    const disk = Disk.open(directory, { release: async () => false, isGivenUp: () => false, refill });
    const look = async (ways: string) => {
      mounted(ways);
      await disk.look();
      assert.equal(disk.trouble()?.code, ways.startsWith("ro") ? "disk_read_only" : undefined);
      return `${ways}${disk.isViewStale() ? " behind" : ""} ${refills.length}`;
    };
    return { disk, look };
  }

  /** The view and the file system at each look, if the view is behind them then, and how often the reserve was made. */
  for (const [what, first, looks] of [
    ["behind: it can be written again", "ro ro", "ro rw behind 0, ro ro 0, rw rw 1, ro rw behind 1"],
    ["as it was meant where the file system could always be written", "ro rw", "ro rw 0, rw rw 1, ro rw 1"],
  ] as const)
    it(`is ${what}`, async (test) => {
      const { disk, look } = await viewed(test, first);
      assert.deepEqual([disk.trouble()?.code, disk.isViewStale()], ["disk_read_only", false]);
      for (const expected of looks.split(", ")) assert.equal(await look(expected.slice(0, 5)), expected);
    });
});

interface Setting {
  disk: Disk;
  reserve: Reserve;
  mount: PrivateMount;
}

/** Undefined where mounting is not permitted: then the test is skipped, saying why. */
async function diskOf(
  test: TestContext,
  mebibytes: number,
  timers = processTime.timers,
): Promise<Setting | undefined> {
  const mount = await mountOrSkip(test, mebibytes);
  if (!mount) return undefined;
  const reserve = createReserve(mount.seen);
  return { disk: Disk.open(mount.seen, reserve, { ...processTime, timers }), reserve, mount };
}
