import assert from "node:assert/strict";
import fs, { constants } from "node:fs";
import { lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { heldIn, replaced, watchDisk } from "../../../lab/state/watched-disk.ts";
import {
  NotRegular,
  openDispensable,
  readRegular,
  readRegularSync,
} from "../../../src/store/files/regular-file.ts";
import { readStateIdentity, writeStateIdentity } from "../../../src/store/files/state-identity.ts";
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
      assert.deepEqual(heldIn(dirname(path)), [path]);
      await file.close();
      const found = await lstat(path);
      assert.deepEqual([found.isFile(), found.mode & 0o777], [true, 0o600]);
      assert.equal(await readFile(path, "utf8"), "new");
      const target = await readFile(targetOf(path), "utf8").catch(() => "{}");
      assert.equal(target, "{}", "what a link leads to is not written");
    });

  it("keeps the content of a file that is there, also where it cannot be opened, and holds only the new one open", async (test) => {
    const directory = await temporaryDirectory(test);
    const path = join(directory, "file");
    await writeFile(path, "old, ");
    const { own: open, put } = replaced(test, fs.promises, "open");
    put(() => Promise.reject(Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" })));
    await assert.rejects(openDispensable(path, append), { code: "EMFILE" });
    put(open);
    const file = await openDispensable(path, append);
    await file.writeFile("new");
    assert.deepEqual(heldIn(directory), [path]);
    await file.close();
    assert.equal(await readFile(path, "utf8"), "old, new");
  });
});

it("the identity of a state directory is as it was written", async (test) => {
  const directory = await temporaryDirectory(test);
  assert.equal(await readStateIdentity(directory), null);
  const identity = { device_id: "pump", untold: { from: "card", files: 3 } };
  await writeStateIdentity(directory, identity);
  assert.deepEqual(await readStateIdentity(directory), identity);
  assert.ok((await readFile(join(directory, ".identity.json"), "utf8")).endsWith("}\n"));
});

it("an identity of an earlier release has nothing untold, and one that is damaged is none", async (test) => {
  const directory = await temporaryDirectory(test);
  const read = async (text: string) => {
    await writeFile(join(directory, ".identity.json"), text);
    return readStateIdentity(directory);
  };
  assert.deepEqual(await read('{"device_id": "pump"}'), { device_id: "pump", untold: null });
  for (const damaged of ["", "{", "null", "[]", "7", "{}", '{"device_id": 7}'])
    assert.equal(await read(damaged), null);
  await rm(join(directory, ".identity.json"));
  await mkdir(join(directory, ".identity.json"));
  assert.equal(await readStateIdentity(directory), null);
});

it("an identity that cannot be read is not taken for none, with the system's reason", async (test) => {
  const directory = join(await temporaryDirectory(test), "file");
  await writeFile(directory, "");
  await assert.rejects(readStateIdentity(directory), (error: Error & { code: string }) => {
    assert.equal(error.code, "storage_unwritable");
    assert.equal((error.cause as NodeJS.ErrnoException).code, "ENOTDIR");
    return true;
  });
});
