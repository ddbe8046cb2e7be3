import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findDiskTrouble, spaceOf } from "../../../src/store/files/disk.ts";
import { type Space, spaceTrouble } from "../../../src/store/files/disk-trouble.ts";
import { storageAdvice } from "../../../src/store/files/storage-advice.ts";
import { mountPrivately } from "../private-mount.ts";
import { temporaryDirectory } from "../state-directory.ts";

/** From docs: health warns below 16 MiB and below 256 files. */
const enough = { freeBytes: 16 * 2 ** 20, freeInodes: 256 };

describe("the trouble with a file system", () => {
  for (const [name, space, hasReserve, code] of [
    ["just enough of both", enough, true, undefined],
    ["a byte too little", { ...enough, freeBytes: enough.freeBytes - 1 }, true, "disk_space_low"],
    ["a file too little", { ...enough, freeInodes: 255 }, true, "disk_inodes_low"],
    ["no count of files", { ...enough, freeInodes: null }, true, undefined],
    ["no reserve", enough, false, "disk_reserve_missing"],
    ["a reserve that was not tried to be made yet", enough, undefined, undefined],
    ["no answer", undefined, true, "disk_space_unknown"],
  ] as const satisfies readonly (readonly [string, Space | undefined, boolean | undefined, unknown])[])
    it(`is ${code ?? "none"} with ${name}`, () => {
      const found = spaceTrouble("/data", space, hasReserve);
      assert.equal(found?.code, code);
      if (found) assert.match(JSON.stringify(found.facts), /"path":"\/data"/);
    });

  it("names a missing reserve besides little space, once it was tried to make it", () => {
    const low = { freeBytes: 2 ** 20, freeInodes: null };
    for (const hasReserve of [true, false, undefined]) {
      const found = spaceTrouble("/data", low, hasReserve);
      assert.ok(found?.code === "disk_space_low");
      assert.equal(found.facts.has_reserve, hasReserve !== false);
      assert.equal(found.detail.includes("does not exist"), hasReserve === false);
    }
  });

  it("is that it is read-only before all else, with the line that makes it writable", async (test) => {
    const directory = await temporaryDirectory(test);
    const mount = { point: "/data", isReadOnly: true, isReadOnlyHereAlone: false };
    const found = await findDiskTrouble(directory, mount, false);
    assert.ok(found?.code === "disk_read_only");
    assert.deepEqual(found.facts, { path: "/data" });
    assert.match(JSON.stringify(found), /mount -o remount,rw \/data/);
    const here = await findDiskTrouble(directory, { ...mount, isReadOnlyHereAlone: true });
    assert.match(JSON.stringify(here), /systemctl restart steward\.service/);
  });

  it("is of the directory itself where its mount is not known", async (test) => {
    const directory = `${await temporaryDirectory(test)}/absent`;
    const found = await findDiskTrouble(directory, null);
    assert.ok(found?.code === "disk_space_unknown");
    assert.equal(found.facts.path, directory);
  });
});

describe("the space on a file system", () => {
  it("is what the kernel says, in bytes and in files", async (test) => {
    const mount = await mountPrivately(test, 3);
    if (typeof mount === "string") return test.skip(mount);
    mount.run('mount -o remount,nr_inodes=9 "$1"');
    // The directory itself is one of them.
    assert.deepEqual(await spaceOf(mount.seen), { freeBytes: 3 * 2 ** 20, freeInodes: 8 });
  });

  it("has no number of files where they are not counted, and no advice is about them", async () => {
    assert.match(storageAdvice("ENOSPC", "/proc"), /du -xah \/proc/);
    assert.deepEqual(await spaceOf("/proc"), { freeBytes: 0, freeInodes: null });
  });
});
