import assert from "node:assert/strict";
import fs from "node:fs";
import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { heldIn, replaced, watchDisk } from "../../../lab/state/watched-disk.ts";
import type { StewardError } from "../../../src/contract/errors.ts";
import {
  isReplaced,
  makeDirectory,
  removeLeftovers,
  storageError,
  temporaryPrefix,
  unusableDirectory,
  writeDurably,
  writeInMemory,
} from "../../../src/store/files/durable-file.ts";

/** `done` lists the calls to the disk since then, as `what path`; without opens, with a temporary name as `…`. */
async function watched(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const calls = watchDisk(test);
  const done = () =>
    calls
      .filter(({ what }) => what !== "open")
      .map(({ what, path }) => `${what} ${relative(directory, path).replace(/^\..*\.tmp$/, "…") || "."}`);
  return { directory, done };
}

describe("a file that is written durably", () => {
  it("is on the disk before it has its name, and so is its name before it is acknowledged", async (test) => {
    const { directory, done } = await watched(test);
    await writeDurably(join(directory, "file"), "new");
    assert.deepEqual(done(), ["sync …", "rename file", "sync ."]);
    assert.deepEqual(await readdir(directory), ["file"]);
    assert.equal(await readFile(join(directory, "file"), "utf8"), "new");
  });

  it("is its user's alone, or has the mode that is asked for, whatever the umask", async (test) => {
    const directory = await temporaryDirectory(test);
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    await writeDurably(join(directory, "own"), "");
    await writeDurably(join(directory, "others"), "", 0o644);
    const modes = await Promise.all(
      ["own", "others"].map(async (name) => (await stat(join(directory, name))).mode & 0o777),
    );
    assert.deepEqual(modes, [0o600, 0o644]);
  });

  it("is left in its place where the next one cannot be written or put there, and held open no longer", async (test) => {
    const directory = await temporaryDirectory(test);
    const path = join(directory, "file");
    await writeDurably(path, "old");
    const refused = (error: unknown) =>
      !isReplaced(error) && (error as StewardError).code === "storage_unwritable";
    await assert.rejects(writeDurably(path, { not: "bytes" } as never), refused);
    const { own: rename, put } = replaced(test, fs.promises, "rename");
    let tries = 0;
    put(async (...given) => {
      tries += 1;
      if (tries === 1) throw Object.assign(new Error("EIO"), { code: "EIO" });
      await rename(...given);
    });
    await assert.rejects(writeDurably(path, "new"), refused);
    assert.deepEqual([await readdir(directory), await readFile(path, "utf8")], [["file"], "old"]);
    assert.deepEqual(heldIn(directory), []);
  });

  it("keeps a directory that another program has put in its place beside it", async (test) => {
    const directory = await temporaryDirectory(test);
    await mkdir(join(directory, "file"));
    await writeFile(join(directory, "file/inside"), "theirs");
    await writeDurably(join(directory, "file"), "ours");
    assert.equal(await readFile(join(directory, "file"), "utf8"), "ours");
    assert.equal(await readFile(join(directory, "file.bad/inside"), "utf8"), "theirs");
  });

  it("is that of the user who is named, before it has its content", async (test) => {
    const directory = await temporaryDirectory(test);
    const owners: unknown[][] = [];
    const { own: open, put } = replaced(test, fs.promises, "open");
    put(async (...given) => {
      const file = await open(...given);
      file.chown = async (...owner) => void owners.push([...owner, (await file.stat()).size]);
      return file;
    });
    await writeDurably(join(directory, "file"), "content", 0o600, { uid: 12, gid: 34 });
    await writeDurably(join(directory, "other"), "content");
    assert.deepEqual(owners, [[12, 34, 0]]);
  });
});

describe("a file of the run directory that is replaced", () => {
  it("is whole, for its owner alone, and waits for no disk", async (test) => {
    const { directory, done } = await watched(test);
    const path = join(directory, "token");
    for (const text of ["first", "second"]) {
      writeInMemory(path, text);
      assert.equal(await readFile(path, "utf8"), text);
    }
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(done(), []);
    assert.deepEqual(await readdir(directory), ["token"]);
  });

  it("takes the place of a directory that another program has made there, or is refused as one on the disk is", async (test) => {
    const directory = await temporaryDirectory(test);
    const path = join(directory, "token");
    await mkdir(path);
    writeInMemory(path, "text");
    assert.deepEqual((await readdir(directory)).sort(), ["token", "token.bad"]);
    const refused = { code: "storage_unwritable", message: /^token cannot be/ };
    assert.throws(() => writeInMemory(join(directory, "none/token"), ""), refused);
    // Neither of the two can be moved out of the way.
    await rm(path, { recursive: true });
    for (const name of ["token/held", "token.bad/held"])
      await mkdir(join(directory, name), { recursive: true });
    assert.throws(() => writeInMemory(path, ""), refused);
    assert.deepEqual((await readdir(directory)).sort(), ["token", "token.bad"]);
  });
});

describe("a directory that is made", () => {
  it("is on the disk, as is each above it before what lies in it", async (test) => {
    const { directory, done } = await watched(test);
    await makeDirectory(join(directory, "a/b/c"));
    // The first tries fail for want of what is above.
    assert.deepEqual(done(), ["mkdir a", "sync .", "mkdir a/b", "sync a", "mkdir a/b/c", "sync a/b"]);
    for (const path of ["a", "a/b", "a/b/c"])
      assert.equal((await stat(join(directory, path))).mode & 0o777, 0o700);
  });

  it("is left alone where it is there", async (test) => {
    const { directory, done } = await watched(test);
    await mkdir(join(directory, "a"), { mode: 0o750 });
    await makeDirectory(join(directory, "a"));
    const found = done().filter((one) => one.startsWith("sync"));
    assert.deepEqual(found, []);
    assert.equal((await stat(join(directory, "a"))).mode & 0o777, 0o750);
  });

  it("is refused with what the disk says of it, or what lies in its place, with advice about what is there", async (test) => {
    const directory = await temporaryDirectory(test);
    await writeFile(join(directory, "file"), "");
    for (const path of ["file", "file/b"]) {
      const message = /^The directory .* cannot be made \(E(EXIST|NOTDIR)\)/;
      await assert.rejects(makeDirectory(join(directory, path)), { code: "storage_unwritable", message });
    }
    const { put } = replaced(test, fs.promises, "mkdir");
    for (const [why, code, message] of [
      ["ENOSPC", "storage_full", /./],
      ["EDQUOT", "storage_full", /./],
      ["EACCES", "storage_unwritable", new RegExp(`cannot write in ${directory}:`)],
    ] as const) {
      const cause = Object.assign(new Error(why), { code: why });
      put((() => Promise.reject(cause)) as never);
      await assert.rejects(makeDirectory(join(directory, "a/b")), { code, message, cause });
    }
  });
});

it("a failure is named by the system's code, and by itself where it has none", () => {
  const ofSystem = Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
  const text = storageError("/data/file", ofSystem).message;
  assert.match(text, /^file cannot be written \(EIO\) and was not changed\./);
  assert.match(storageError("/data/file", "odd").message, /^file cannot be written \(odd\) and/);
  const words = unusableDirectory("/data", ofSystem).message;
  assert.match(words, /^The state directory \/data .* \(EIO\)\. The disk of/);
  const told = unusableDirectory("/data", "odd").message;
  assert.match(told, /^The state directory \/data cannot be used \(odd\)\. Check/);
  const named = storageError("/data/file", ofSystem);
  assert.equal(storageError("/data/other", named), named);
  assert.deepEqual([named.cause, unusableDirectory("/data", ofSystem).cause], [ofSystem, ofSystem]);
});

it("the leftovers of a killed writer are removed, and no other's", async (test) => {
  const directory = await temporaryDirectory(test);
  const path = join(directory, "file");
  assert.equal(temporaryPrefix(path), join(directory, ".file."));
  const names = [".file.0123456789ab.tmp", ".file2.0123456789ab.tmp", ".other", "file", "file.bad"];
  for (const name of names) await writeFile(join(directory, name), "");
  await mkdir(join(directory, ".file.made-by-another"));
  await removeLeftovers(path);
  assert.deepEqual((await readdir(directory)).sort(), names.slice(1).sort());
  assert.equal((await lstat(path)).isFile(), true);
});
