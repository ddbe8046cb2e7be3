import assert from "node:assert/strict";
import fs from "node:fs";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { mountPrivately } from "../../../lab/state/private-mount.ts";
import { replaced } from "../../../lab/state/watched-disk.ts";
import { findDiskTrouble, spaceOf } from "../../../src/store/files/disk.ts";
import { type Space, spaceTrouble } from "../../../src/store/files/disk-trouble.ts";
import { readOnlyAdvice, storageAdvice, writableLine } from "../../../src/store/files/storage-advice.ts";

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

  it("names a missing reserve besides little space", () => {
    const low = { freeBytes: 2 ** 20, freeInodes: null };
    for (const hasReserve of [true, false]) {
      const found = spaceTrouble("/data", low, hasReserve);
      assert.ok(found?.code === "disk_space_low");
      assert.equal(found.facts.has_reserve, hasReserve);
      assert.equal(found.detail.includes("does not exist"), !hasReserve);
    }
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
        ...([largest, /^Only 1\.5 MiB are free on \/data; below 16 MiB this warns\. When/] as const),
      ],
      [
        { ...enough, freeInodes: 5 },
        false,
        { path, free_inodes: 5, least_inodes: 256 },
        ...([mostFiles, /^Only 5 more files can be made on \/data; below 256/] as const),
      ],
      [enough, false, { path }, largest, /^The reserve on \/data, .* takes 8 MiB, .* when 24 MiB are free\./],
    ] as const) {
      const found = spaceTrouble(path, space, hasReserve);
      assert.deepEqual([found?.facts, found?.remedy], [facts, remedy]);
      assert.match(found?.detail ?? "", words);
      assert.ok(found?.detail.includes(`\`${remedy.line}\``), found?.detail);
    }
  });

  it("is that it is read-only before all else, with the line that makes it writable", async (test) => {
    const directory = await temporaryDirectory(test);
    const mount = { point: "/data", isReadOnly: true, isReadOnlyHereAlone: false };
    const found = findDiskTrouble(directory, mount, false);
    assert.ok(found?.code === "disk_read_only");
    assert.deepEqual(found.facts, { path: "/data" });
    assert.match(JSON.stringify(found), /mount -o remount,rw \/data/);
    const here = findDiskTrouble(directory, { ...mount, isReadOnlyHereAlone: true });
    assert.match(JSON.stringify(here), /systemctl restart steward\.service/);
  });

  it("is of the directory itself where its mount is not known", async (test) => {
    const directory = `${await temporaryDirectory(test)}/absent`;
    const found = findDiskTrouble(directory, null);
    assert.ok(found?.code === "disk_space_unknown");
    assert.equal(found.facts.path, directory);
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
      ["EACCES", "/absent", /may not write in \/absent: .*chown -R/],
      ["EPERM", "/absent", /may not write in \/absent: .*chown -R/],
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

  it("has no number of files where they are not counted, and no advice is about them", async () => {
    assert.match(storageAdvice("ENOSPC", "/proc"), /du -xah \/proc/);
    assert.deepEqual(spaceOf("/proc"), { freeBytes: 0, freeInodes: null });
  });
});
