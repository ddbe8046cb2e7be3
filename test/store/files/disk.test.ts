import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { atEnd, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { fill, mountOrSkip, mountPrivately, type PrivateMount } from "../../../lab/state/private-mount.ts";
import { comes, comesToRest } from "../../../lab/state/state-directory.ts";
import { replaced } from "../../../lab/state/watched-disk.ts";
import { Disk, findDiskTrouble, spaceOf } from "../../../src/store/files/disk.ts";
import { type Space, spaceTrouble } from "../../../src/store/files/disk-trouble.ts";
import { mountIn, mountOf } from "../../../src/store/files/mount.ts";
import { createReserve, type Reserve, reserveBytes } from "../../../src/store/files/reserve.ts";
import { readOnlyAdvice, storageAdvice, writableLine } from "../../../src/store/files/storage-advice.ts";
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

/** From docs: health warns below 16 MiB and below 256 files. */
const enough = { freeBytes: 16 * 2 ** 20, freeInodes: 256 };

describe("the trouble with a file system", () => {
  for (const [name, space, hasReserve, code] of [
    ["just enough of both", enough, true, undefined],
    ["a byte too little", { ...enough, freeBytes: enough.freeBytes - 1 }, true, "disk_space_low"],
    ["a file too little", { ...enough, freeInodes: 255 }, true, "disk_inodes_low"],
    ["no count of files", { ...enough, freeInodes: null }, true, undefined],
    ["no reserve", enough, false, "disk_reserve_missing"],
    ["no answer", undefined, true, "disk_space_unknown"],
  ] as const satisfies readonly (readonly [string, Space | undefined, boolean, unknown])[])
    it(`is ${code ?? "none"} with ${name}`, () => {
      const found = spaceTrouble("/data", space, hasReserve);
      assert.equal(found?.code, code);
      if (found) assert.match(JSON.stringify(found.facts), /"path":"\/data"/);
    });

  it("is told with its numbers, and with the line that shows where they come from", () => {
    const path = "/data";
    const largest = { line: "du -xah /data | sort -h | tail -n 20", deletes: null };
    const mostFiles = { line: "du -x --inodes /data | sort -n | tail -n 20", deletes: null };
    for (const [space, hasReserve, facts, remedy, words] of [
      [
        { freeBytes: 1_572_864, freeInodes: 5 },
        true,
        { path, free_bytes: 1_572_864, least_bytes: 16 * 2 ** 20, has_reserve: true },
        ...([largest, /^Only 1\.5 MiB are free on \/data; the warning starts below 16 MiB\. When/] as const),
      ],
      [
        { ...enough, freeInodes: 5 },
        false,
        { path, free_inodes: 5, least_inodes: 256 },
        ...([mostFiles, /^Only 5 more files can be made on \/data; the warning starts below 256/] as const),
      ],
      [enough, false, { path }, largest, /^The reserve on \/data, .* takes 8 MiB, .* when 24 MiB are free\./],
    ] as const) {
      const found = spaceTrouble(path, space, hasReserve);
      assert.deepEqual([found?.facts, found?.remedy], [facts, remedy]);
      assert.match(found?.detail ?? "", words);
      assert.ok(found?.detail.includes(`\`${remedy.line}\``), found?.detail);
    }
  });

  it("is that it is read-only before all else, and of the directory itself where its mount is not known", async (test) => {
    const directory = await temporaryDirectory(test);
    const mount = { point: "/data", isReadOnly: true, isReadOnlyHereAlone: false };
    const found = findDiskTrouble(directory, mount, false);
    assert.deepEqual([found?.code, found?.facts], ["disk_read_only", { path: "/data" }]);
    assert.match(JSON.stringify(found), /mount -o remount,rw \/data/);
    const here = findDiskTrouble(directory, { ...mount, isReadOnlyHereAlone: true });
    assert.match(JSON.stringify(here), /systemctl restart steward\.service/);
    const { code, facts } = findDiskTrouble(`${directory}/absent`, null) ?? {};
    assert.deepEqual([code, facts], ["disk_space_unknown", { path: `${directory}/absent` }]);
  });
});

describe("the advice about a write that failed", () => {
  const view = (isReadOnlyHereAlone: boolean) => ({ point: "/data", isReadOnly: true, isReadOnlyHereAlone });

  it("is of the file system that the directory lies on, or of the directory where that is not known", () => {
    for (const [code, path, words] of [
      ["EDQUOT", "/absent", /quota on \/absent is used up/],
      ["EDQUOT", "/proc/self", /quota on \/proc is used up/],
      ["EIO", "/proc/self", /disk of \/proc answers .*may be failing.*dmesg.*Copy \/proc\/self to .*replace/],
      ["EIO", "/absent", /disk of \/absent answers/],
      ["EACCES", "/absent", /cannot write in \/absent: .*chown -R/],
      ["EPERM", "/absent", /cannot write in \/absent: .*chown -R/],
      ["EMFILE", "/absent", /^Check that \/absent exists/],
      ["EROFS", "/absent", /^The file system at \/absent is mounted read-only/],
      ["ENOSPC", "/absent", /^Free some space on \/absent: .*du -xah.* Then repeat the change\.$/],
    ] as const)
      assert.match(storageAdvice(code, path), words);
  });

  it("is about the number of files where that is what is used up", (test) => {
    const { put } = replaced(test, fs, "statfsSync");
    const counts = (files: number, ffree: number) => put((() => ({ files, ffree })) as never);
    for (const [files, ffree, words] of [
      [9, 0, /^Remove files on \/proc, .*du -x --inodes \/proc/],
      [9, 1, /^Free some space on \/proc/],
      [0, 0, /^Free some space on \/proc/],
    ] as const) {
      counts(files, ffree);
      assert.match(storageAdvice("ENOSPC", "/proc"), words);
    }
  });

  it("is to start the service anew where only its view is read-only, else to mount it", () => {
    assert.equal(writableLine("/data/state", view(true)), "systemctl restart steward.service");
    assert.equal(writableLine("/data/state", view(false)), "mount -o remount,rw /data");
    assert.equal(writableLine("/data/state", null), "mount -o remount,rw /data/state");
    const text = readOnlyAdvice("/data/state", view(true));
    assert.match(text, /at \/data was .* after `mount -o remount,rw \/data` where/);
    const words = readOnlyAdvice("/data/state", view(false));
    assert.match(words, /at \/data is .*`mount -o remount,rw \/data` makes/);
  });
});

describe("the space on a file system", () => {
  it("is what the kernel says, in bytes and in files", async (test) => {
    const mount = await mountPrivately(test, 3);
    if (typeof mount === "string") return test.skip(mount);
    mount.run('mount -o remount,nr_inodes=9 "$1"');
    // The directory itself is one of them.
    assert.deepEqual(spaceOf(mount.seen), { freeBytes: 3 * 2 ** 20, freeInodes: 8 });
  });

  it("has no number of files where they are not counted", () => {
    assert.deepEqual(spaceOf("/proc"), { freeBytes: 0, freeInodes: null });
  });
});

/** As /proc/self/mountinfo has it inside the agent's unit (ProtectSystem=strict, StateDirectory=) on a plain device. */
const inTheUnit = [
  "445 442 254:0 / / ro,relatime master:1 - ext4 /dev/root rw",
  "447 445 0:24 / /proc rw,nosuid - proc proc rw",
  "450 445 254:0 /var/lib/steward /var/lib/steward rw,relatime master:1 - ext4 /dev/root rw",
].join("\n");

const state = "/var/lib/steward";

describe("the mount of a path", () => {
  const own = [
    inTheUnit.split("\n")[0],
    "460 445 254:3 / /var/lib rw - ext4 /dev/vda3 rw",
    "461 460 254:3 /steward /var/lib/steward rw - ext4 /dev/vda3 rw",
  ].join("\n");
  const failed = inTheUnit.replaceAll("/dev/root rw", "/dev/root ro,errors=remount-ro");
  const stopped = inTheUnit.replaceAll("/dev/root rw", "/dev/root rw,emergency_ro");
  const stale = inTheUnit.replace("/var/lib/steward rw", "/var/lib/steward ro");
  const over = `${inTheUnit}\n470 450 254:5 / /var/lib/steward rw - ext4 /dev/vda5 ro`;
  const bound = `${inTheUnit}\n475 450 254:0 /srv/state /var/lib/steward ro - ext4 /dev/root rw`;
  const alike = `${inTheUnit}\n480 445 254:8 / /var/lib/stew ro - ext4 /dev/vda8 ro`;
  const card = "445 442 254:7 / /mnt/sd\\040card ro - ext4 /dev/vda7 ro";
  for (const [name, text, path, expected] of [
    ["as root knows it, although systemd mounted the state directory over itself", inTheUnit, state, "/"],
    ["read-only when the file system is", failed, state, "/ ro"],
    ["read-only when ext4 has stopped itself", stopped, state, "/ ro"],
    ["read-only here alone when only this view of it is", stale, state, "/ ro here"],
    ["a partition of its own, by the name of its mount point", own, `${state}/users.json`, "/var/lib"],
    ["another file system that is mounted over the directory", over, state, `${state} ro`],
    ["another directory of the same file system that is mounted over it", bound, state, `${state} ro here`],
    ["one with a space in its name", card, "/mnt/sd card/state", "/mnt/sd card ro"],
    ["none whose name begins alike", alike, state, "/"],
    ["not known where the text says nothing", "", state, "unknown"],
  ] as const)
    it(`is ${name}`, () => {
      const { point = "unknown", isReadOnly, isReadOnlyHereAlone } = mountIn(text, path) ?? {};
      const found = [point, ...(isReadOnly ? ["ro"] : []), ...(isReadOnlyHereAlone ? ["here"] : [])];
      assert.equal(found.join(" "), expected);
    });

  it("is not known by a line that is cut before the options of the view", () => {
    const fields = "445 442 254:0 / / ro,relatime master:1 - ext4 /dev/root rw".split(" ");
    for (let count = 0; count <= fields.length; count += 1) {
      const found = mountIn(fields.slice(0, count).join(" "), state);
      assert.deepEqual(found, count < 6 ? null : { point: "/", isReadOnly: true, isReadOnlyHereAlone: true });
    }
  });

  it("is found out again for another path, and kept while the table is the same", () => {
    const points = ["/proc", "/", "/proc"].map((path) => mountOf(path)?.point);
    assert.deepEqual(points, ["/proc", "/", "/proc"]);
    assert.equal(mountOf("/proc"), mountOf("/proc"));
  });
});
