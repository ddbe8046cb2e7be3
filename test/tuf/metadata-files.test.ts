import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";

describe("metadata files", () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "steward-metadata-"));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it("keeps bytes as they came, under the role's name", async () => {
    const files = await openMetadataFiles(join(directory, "metadata"));
    const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    await files.write("timestamp", bytes);
    assert.deepEqual(await readFile(join(directory, "metadata/timestamp.json")), bytes);
    assert.deepEqual(await files.read("timestamp"), bytes);
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
    assert.deepEqual(await files.read("a/b"), Buffer.from("1"));
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
