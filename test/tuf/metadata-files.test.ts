import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
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
