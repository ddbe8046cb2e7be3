import assert from "node:assert/strict";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { fill, mountPrivately } from "../../../lab/state/private-mount.ts";
import { RecordedDevice } from "../../../lab/state/recorded-history.ts";
import { putStrange, strangeFiles } from "../../store/strange-files.ts";

async function withTwoHours(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const device = new RecordedDevice(directory);
  await device.run(120);
  await device.close();
  return { directory, device, path: join(directory, "history.bin") };
}

describe("a damaged history", () => {
  it("is set aside and begun again, and the log says so, once", async (test) => {
    for (const damage of ["torn", "foreign", "of a newer form"]) {
      const { directory, device, path } = await withTwoHours(test);
      const bytes = await readFile(path);
      if (damage === "torn") await writeFile(path, bytes.subarray(0, 20_000));
      if (damage === "foreign") await writeFile(path, "another program's file");
      // The byte after the name is the form's version.
      if (damage === "of a newer form") await writeFile(path, bytes.fill(2, 16, 17));
      const damaged = await readFile(path);
      device.restart();
      assert.deepEqual(await device.points(), []);
      await device.run(120);
      await device.close();
      assert.deepEqual(device.warnings, [
        "the history of the device cannot be read and begins again: history.bin is torn, or not of this program's form. " +
          `It is kept as ${path}.bad.`,
      ]);
      assert.deepEqual(await readFile(`${path}.bad`), damaged);
      device.restart();
      assert.equal((await device.points()).length, 24, damage);
      assert.deepEqual((await readdir(directory)).toSorted(), ["history.bin", "history.bin.bad"]);
    }
  });

  for (const [kind, { named }] of Object.entries(strangeFiles))
    it(`is ${kind}: it is set aside, and nothing waits for it`, async (test) => {
      const { directory, device, path } = await withTwoHours(test);
      await putStrange(kind, { test, path });
      device.restart();
      await device.run(70);
      await device.close();
      assert.equal(device.warnings.length, 1);
      assert.match(device.warnings[0] ?? "", named);
      assert.ok((await lstat(path)).isFile());
      device.restart();
      assert.equal((await device.points()).length, 14);
      assert.ok((await readdir(directory)).includes("history.bin.bad"));
    });
});

describe("a history on a full disk", () => {
  it("goes on in memory, warns once, and is written whole when there is space", async (test) => {
    const mount = await mountPrivately(test, 4);
    if (typeof mount === "string") return test.skip(mount);
    const device = new RecordedDevice(mount.seen);
    await fill(mount);
    await device.run(5 * 60);
    assert.equal(device.warnings.length, 1);
    assert.match(device.warnings[0] ?? "", /^the history of the device cannot be written: The disk is full/);
    assert.equal((await device.points()).length, 60);
    assert.equal((await readdir(mount.seen)).includes("history.bin"), false);
    mount.run('rm "$1/.filler"');
    await device.run(60);
    device.restart();
    assert.ok((await device.points()).length >= 60);
    assert.equal(device.warnings.length, 1);
    assert.deepEqual(await readdir(mount.seen), ["history.bin"]);
  });
});
