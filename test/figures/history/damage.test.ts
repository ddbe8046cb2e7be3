import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { lstat, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { compileKillAt, watchRun } from "../../../lab/crashes/power-cut.ts";
import { fill, mountPrivately } from "../../../lab/state/private-mount.ts";
import { RecordedDevice } from "../../../lab/state/recorded-history.ts";
import { bundleFixture } from "../../../lab/state/state-directory.ts";
import { putStrange, strangeFiles } from "../../store/strange-files.ts";

async function withTwoHours(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const device = new RecordedDevice(directory);
  await device.run(120);
  await device.close();
  return { directory, device, path: join(directory, "history.bin") };
}

describe("a damaged history", () => {
  for (const [damage, damaged] of [
    ["torn", (bytes: Buffer) => bytes.subarray(0, 20_000)],
    ["foreign", () => Buffer.from("another program's file")],
    // The byte after the name is the form's version.
    ["of a newer form", (bytes: Buffer) => bytes.fill(2, 16, 17)],
  ] as const)
    it(`is set aside and begun again where it is ${damage}, and the log says so, once`, async (test) => {
      const { directory, device, path } = await withTwoHours(test);
      const bytes = damaged(await readFile(path));
      await writeFile(path, bytes);
      device.restart();
      assert.deepEqual(await device.points(), []);
      await device.run(120);
      await device.close();
      const words = "history.bin is torn, or not of this program's form.";
      assert.deepEqual(device.warnings, [
        `the history of the device cannot be read and begins again: ${words} It is kept as ${path}.bad.`,
      ]);
      assert.deepEqual(await readFile(`${path}.bad`), bytes);
      device.restart();
      assert.equal((await device.points()).length, 24);
      assert.deepEqual((await readdir(directory)).toSorted(), ["history.bin", "history.bin.bad"]);
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

it("a history on a full disk goes on in memory, warns once, and is written whole when there is space", async (test) => {
  const mount = await mountPrivately(test, 4);
  if (typeof mount === "string") return test.skip(mount);
  const device = new RecordedDevice(mount.seen);
  await fill(mount);
  await device.run(5 * 60);
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

it("a history whose power is cut is found as it was last written, whole, at any call, and what was half written is removed", async (test) => {
  const place = await temporaryDirectory(test);
  const directory = await temporaryDirectory(test);
  const program = await bundleFixture(place, "history-writer");
  const start = (environment: Record<string, string>): Promise<number | null> => {
    const env = { ...process.env, ...environment };
    const child = spawn(process.execPath, [program, directory], { env, stdio: "inherit" });
    return new Promise((resolve) => child.once("close", resolve));
  };
  const run = { library: compileKillAt(place), directory, start, note: () => null, concerns: /./ };
  const { ended, states } = await watchRun(run);
  assert.equal(ended, 0);
  const seen = new Set<number>();
  for (const state of states) {
    const left = join(await temporaryDirectory(test), "left");
    state.put(left);
    const device = new RecordedDevice(left);
    device.minute = 190;
    const found = (await device.points()).map(({ said }) => said);
    const expected = Array.from(found, (_, index) => index * 5);
    assert.deepEqual(found, expected, state.where);
    seen.add(found.length);
    await device.run(70);
    await device.close();
    assert.deepEqual([device.warnings, await readdir(left)], [[], ["history.bin"]], state.where);
  }
  // Nothing, the writes of three hours, and the one at the end.
  assert.deepEqual(new Set([0, 13, 25, 37, 38]), seen);
});
