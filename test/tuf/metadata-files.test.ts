import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { filesInMemory } from "../../lab/publisher/refreshing.ts";
import { keepingRoots } from "../../src/tuf/kept-roots.ts";
import { openMetadataFiles, readMetadataFiles } from "../../src/tuf/metadata-files.ts";

describe("metadata files", () => {
  let directory: string;
  beforeEach(async () => {
    directory = scratchDirectory();
  });

  it("says null of a role that has none", async () => {
    const files = await openMetadataFiles(directory);
    assert.equal(await files.read("snapshot"), null);
    await files.remove("snapshot");
  });

  for (const role of ["../outside", "/absolute", "..", "a/b", "?", "#", "ü", "%2e", "a\u0000b"]) {
    it(`makes no path of the role ${JSON.stringify(role)}`, async () => {
      const files = await openMetadataFiles(join(directory, "metadata"));
      await files.write(role, Buffer.from("x"));
      assert.deepEqual(await readdir(directory), ["metadata"]);
      assert.equal((await readdir(join(directory, "metadata"))).length, 1);
      assert.deepEqual(await files.read(role), Buffer.from("x"));
    });
  }

  it("keeps roles apart whose names look alike once they are quoted", async () => {
    const files = await openMetadataFiles(directory);
    await files.write("a/b", Buffer.from("1"));
    await files.write("a%2fb", Buffer.from("2"));
    await files.write("a b", Buffer.from("3"));
    assert.deepEqual(await files.read("a/b"), Buffer.from("1"));
    assert.deepEqual((await readdir(directory)).sort(), ["a%20b.json", "a%252fb.json", "a%2fb.json"]);
  });

  it("tells of a file that can neither be read nor removed", async () => {
    const files = await openMetadataFiles(directory);
    const reading = readMetadataFiles(directory);
    // No file system has so long a name.
    const role = "r".repeat(300);
    for (const deed of [() => files.read(role), () => files.remove(role), () => reading.read(role)]) {
      await assert.rejects(deed, (error: Error & { code?: string }) => {
        assert.equal(error.code, "storage_unwritable");
        assert.ok(error.cause instanceof Error, "it has lost its cause");
        return true;
      });
    }
  });

  it("removes what a killed writer left, and nothing else", async () => {
    await writeFile(join(directory, ".timestamp.json.0123456789ab.tmp"), "half");
    await writeFile(join(directory, "timestamp.json"), "whole");
    await openMetadataFiles(directory);
    assert.deepEqual(await readdir(directory), ["timestamp.json"]);
  });

  it("forgets everything when it is cleared", async () => {
    const files = await openMetadataFiles(directory);
    await files.write("root", Buffer.from("1"));
    await files.write("rules", Buffer.from("2"));
    await files.clear();
    assert.deepEqual(await readdir(directory), []);
  });
});

describe("metadata files of a reader that writes nothing", () => {
  let directory: string;
  beforeEach(async () => {
    directory = scratchDirectory();
    await writeFile(join(directory, "root.json"), "kept");
    await writeFile(join(directory, "rules.json"), "kept");
  });
  afterEach(async () => {
    // The reader leaves the files as they were, whatever a test asked of it.
    for (const name of ["root.json", "rules.json"])
      assert.equal(await readFile(join(directory, name), "utf8"), "kept");
    assert.equal((await readdir(directory)).length, 2);
    await rm(directory, { recursive: true, force: true });
  });

  it("read what lies in the directory, and null where nothing does, or where the directory is absent", async () => {
    const files = readMetadataFiles(directory);
    assert.equal(String(await files.read("root")), "kept");
    assert.equal(await files.read("timestamp"), null);
    assert.equal(await readMetadataFiles(join(directory, "absent")).read("root"), null);
  });

  it("read what was written and removed since", async () => {
    const files = readMetadataFiles(directory);
    await files.write("root", Buffer.from("new"));
    await files.remove("rules");
    assert.equal(String(await files.read("root")), "new");
    assert.equal(await files.read("rules"), null);
  });

  it("read nothing of before once they are cleared, and what is written then", async () => {
    const files = readMetadataFiles(directory);
    await files.write("timestamp", Buffer.from("new"));
    await files.clear();
    assert.deepEqual([await files.read("root"), await files.read("timestamp")], [null, null]);
    await files.write("root", Buffer.from("newer"));
    assert.equal(String(await files.read("root")), "newer");
  });
});

const rootOf = (version: number): Buffer => Buffer.from(JSON.stringify({ signed: { version } }));

describe("trusted metadata that keep their roots", () => {
  it("leave everything else as it is, and where it is", async () => {
    const [files, roots] = [filesInMemory(), filesInMemory()];
    const keeping = keepingRoots(files, roots);
    await keeping.write("root", rootOf(1));
    for (const role of ["timestamp", "root/rotation", "2.root"]) await keeping.write(role, Buffer.from(role));
    assert.deepEqual(Object.keys(files.contents).sort(), ["2.root", "root", "root/rotation", "timestamp"]);
    await keeping.remove("timestamp");
    assert.equal(await keeping.read("timestamp"), null);
    assert.deepEqual(Object.keys(roots.contents), ["1.root"]);
  });

  it("keep a root before it is trusted, so that a crash leaves no gap in the chain", async () => {
    const files = filesInMemory({}, (change) => change === "write root");
    const roots = filesInMemory();
    await assert.rejects(keepingRoots(files, roots).write("root", rootOf(5)), /killed/);
    assert.deepEqual(Object.keys(roots.contents), ["5.root"]);
    assert.equal(files.contents.root, undefined);
  });

  it("trust no root that could not be kept", async () => {
    const files = filesInMemory();
    const roots = filesInMemory({}, () => true);
    await assert.rejects(keepingRoots(files, roots).write("root", rootOf(5)), /killed/);
    assert.deepEqual(files.contents, {});
  });

  it("keep as many as one refresh follows: 256", async () => {
    const removals: string[] = [];
    const roots = filesInMemory({}, (change) => {
      if (change.startsWith("remove")) removals.push(change);
      return false;
    });
    const keeping = keepingRoots(filesInMemory(), roots);
    for (let version = 1; version <= 300; version += 1) await keeping.write("root", rootOf(version));
    assert.equal(Object.keys(roots.contents).length, 256);
    assert.ok(roots.contents["45.root"] && !roots.contents["44.root"], "others than the newest are kept");
    assert.deepEqual([removals.length, removals[0]], [44, "remove 1.root"]);
  });

  for (const end of ["clear", "remove"] as const) {
    it(`forget all roots of a trust that ends (${end})`, async () => {
      const [files, roots] = [filesInMemory(), filesInMemory()];
      const keeping = keepingRoots(files, roots);
      await keeping.write("root", rootOf(1));
      await keeping.write("root", rootOf(2));
      await (end === "clear" ? keeping.clear() : keeping.remove("root"));
      assert.deepEqual([files.contents, roots.contents], [{}, {}]);
    });
  }
});
