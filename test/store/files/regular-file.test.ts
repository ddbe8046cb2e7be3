import assert from "node:assert/strict";
import fs, { constants } from "node:fs";
import { lstat, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { heldIn, replaced, watchDisk } from "../../../lab/state/watched-disk.ts";
import {
  NotRegular,
  openDispensable,
  readRegular,
  readRegularSync,
} from "../../../src/store/files/regular-file.ts";
import { putStrange, strangeFiles, targetOf } from "../strange-files.ts";

const mostBytes = 1_000;
const readers = {
  readRegular,
  readRegularSync: async (path: string, most: number) => readRegularSync(path, most),
};

for (const [name, read] of Object.entries(readers))
  describe(name, () => {
    for (const [kind, { named }] of Object.entries(strangeFiles))
      it(`refuses ${kind}, and waits for nothing`, async (test) => {
        const path = join(await temporaryDirectory(test), "file");
        await putStrange(kind, { test, path });
        await assert.rejects(read(path, mostBytes), (error: unknown) => {
          assert.ok(error instanceof NotRegular, String(error));
          assert.equal(error.code, "state_damaged");
          assert.match(error.message, named);
          const found = error.message;
          assert.equal(found, `${path} ${error.reason}. Another program must have put it there: remove it.`);
          return true;
        });
      });

    it("reads a file up to the limit, and none beyond it", async (test) => {
      const path = join(await temporaryDirectory(test), "file");
      for (const length of [0, 1, mostBytes]) {
        const content = Buffer.alloc(length, "content");
        await writeFile(path, content);
        assert.deepEqual(await read(path, mostBytes), content);
      }
      await writeFile(path, Buffer.alloc(mostBytes + 1));
      await assert.rejects(read(path, mostBytes), /has 1001 bytes, more than the limit of 1000/);
    });

    it("holds nothing open, whatever it has found", async (test) => {
      const directory = await temporaryDirectory(test);
      await writeFile(join(directory, "file"), "content");
      await read(join(directory, "file"), mostBytes);
      assert.deepEqual(heldIn(directory), []);
      await assert.rejects(read(join(directory, "file"), 1));
      assert.deepEqual(heldIn(directory), []);
      await assert.rejects(read(directory, mostBytes));
      assert.deepEqual(heldIn(directory), []);
    });

    it("passes on that there is no file", async (test) => {
      const path = join(await temporaryDirectory(test), "file");
      await assert.rejects(read(path, mostBytes), { code: "ENOENT" });
    });
  });

// The pipes of these tests have another end, which hides that an open waited for it.
it("no open waits for the other end of a pipe, nor follows a link", async (test) => {
  const path = join(await temporaryDirectory(test), "file");
  const calls = watchDisk(test);
  await (await openDispensable(path, constants.O_WRONLY)).close();
  await readRegular(path, mostBytes);
  readRegularSync(path, mostBytes);
  const never = constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const found = calls.map(({ flags }) => Number(flags) & never);
  assert.deepEqual(found, [never, never, never]);
});

describe("openDispensable", () => {
  const append = constants.O_WRONLY | constants.O_APPEND;

  for (const kind of Object.keys(strangeFiles).filter((one) => one !== "2 GiB of nothing"))
    it(`puts a file in the place of ${kind}`, async (test) => {
      const path = join(await temporaryDirectory(test), "file");
      await putStrange(kind, { test, path, isWritten: true });
      const file = await openDispensable(path, append);
      await file.writeFile("new");
      await file.close();
      assert.equal((await lstat(path)).isFile(), true);
      assert.equal((await lstat(path)).mode & 0o777, 0o600);
      assert.equal(await readFile(path, "utf8"), "new");
      const target = await readFile(targetOf(path), "utf8").catch(() => "{}");
      assert.equal(target, "{}", "what a link leads to is not written");
    });

  it("keeps the content of a file that is there", async (test) => {
    const path = join(await temporaryDirectory(test), "file");
    await writeFile(path, "old, ");
    const file = await openDispensable(path, append);
    await file.writeFile("new");
    await file.close();
    assert.equal(await readFile(path, "utf8"), "old, new");
  });
});

it("what may be lost is lost only where something else stands in its place, and not where it cannot be opened", async (test) => {
  const directory = await temporaryDirectory(test);
  const path = join(directory, "file");
  await writeFile(path, "content");
  const { own: open, put } = replaced(test, fs.promises, "open");
  let tries = 0;
  put(async (...given) => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return open(...given);
  });
  await assert.rejects(openDispensable(path, constants.O_RDWR), { code: "EMFILE" });
  assert.equal(await readFile(path, "utf8"), "content");
  for (const kind of ["a directory", "a link", "a socket"]) {
    await putStrange(kind, { test, path });
    const file = await openDispensable(path, constants.O_RDWR);
    assert.deepEqual(heldIn(directory), [path], kind);
    await file.close();
    const { mode } = await lstat(path);
    assert.deepEqual([(await lstat(path)).isFile(), mode & 0o777], [true, 0o600], kind);
  }
});
