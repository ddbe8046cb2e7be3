import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { filesInMemory } from "../../lab/publisher/refreshing.ts";
import { keepingRoots } from "../../src/tuf/kept-roots.ts";
import { openMetadataFiles, readMetadataFiles } from "../../src/tuf/metadata-files.ts";

describe("metadata files", () => {
  it("are removed one by one or all at once, and those that a killed writer left at the beginning", async () => {
    const directory = scratchDirectory();
    await writeFile(join(directory, ".timestamp.json.0123456789ab.tmp"), "half");
    await writeFile(join(directory, "timestamp.json"), "whole");
    const files = await openMetadataFiles(directory);
    for (const role of ["root", "snapshot"]) await files.write(role, Buffer.from("1"));
    for (const role of ["snapshot", "absent"]) await files.remove(role);
    assert.deepEqual((await readdir(directory)).sort(), ["root.json", "timestamp.json"]);
    assert.equal(await files.read("snapshot"), null);
    await files.clear();
    assert.deepEqual(await readdir(directory), []);
  });

  it("keeps roles apart whose names look alike once they are quoted", async () => {
    const directory = scratchDirectory();
    const files = await openMetadataFiles(directory);
    for (const role of ["a/b", "a%2fb", "a b"]) await files.write(role, Buffer.from(role));
    assert.equal(String(await files.read("a/b")), "a/b");
    assert.deepEqual((await readdir(directory)).sort(), ["a%20b.json", "a%252fb.json", "a%2fb.json"]);
  });

  it("tell of one that can neither be read nor removed", async () => {
    const directory = scratchDirectory();
    const files = await openMetadataFiles(directory);
    // No file system has so long a name.
    const role = "r".repeat(300);
    for (const deed of [files.read, files.remove, readMetadataFiles(directory).read])
      await assert.rejects(deed(role), ({ code, cause }: Error & { code?: string }) => {
        assert.deepEqual([code, cause instanceof Error], ["storage_unwritable", true]);
        return true;
      });
  });

  it("are left as they are by a reader that writes nothing, which goes by what was written and removed since", async () => {
    const directory = scratchDirectory();
    for (const name of ["root.json", "rules.json"]) await writeFile(join(directory, name), "kept");
    const files = readMetadataFiles(directory);
    const shown = async (): Promise<(string | null)[]> => {
      const all = await Promise.all(["root", "rules", "timestamp"].map((role) => files.read(role)));
      return all.map((bytes) => bytes && String(bytes));
    };
    assert.deepEqual(await shown(), ["kept", "kept", null]);
    await files.write("root", Buffer.from("new"));
    await files.remove("rules");
    assert.deepEqual(await shown(), ["new", null, null]);
    await files.clear();
    assert.deepEqual(await shown(), [null, null, null]);
    await files.write("root", Buffer.from("newer"));
    assert.deepEqual(await shown(), ["newer", null, null]);
    assert.deepEqual((await readdir(directory)).sort(), ["root.json", "rules.json"]);
    assert.equal(await readFile(join(directory, "root.json"), "utf8"), "kept");
    assert.equal(await readMetadataFiles(join(directory, "absent")).read("root"), null);
  });
});

describe("trusted metadata that keep their roots", () => {
  const rootOf = (version: number): Buffer => Buffer.from(JSON.stringify({ signed: { version } }));

  it("leave everything else as it is, and where it is", async () => {
    const [files, roots] = [filesInMemory(), filesInMemory()];
    const keeping = keepingRoots(files, roots);
    await keeping.write("root", rootOf(1));
    for (const role of ["timestamp", "root/rotation", "2.root"]) await keeping.write(role, Buffer.from(role));
    await keeping.remove("timestamp");
    assert.equal(await keeping.read("timestamp"), null);
    assert.deepEqual(Object.keys(files.contents), ["root", "root/rotation", "2.root"]);
    assert.deepEqual(Object.keys(roots.contents), ["1.root"]);
  });

  it("keep a root before it is trusted, so that a crash leaves no gap in the chain", async () => {
    for (const [failing, kept] of [
      ["files", ["5.root"]],
      ["roots", []],
    ] as const) {
      const files = filesInMemory({}, () => failing === "files");
      const roots = filesInMemory({}, () => failing === "roots");
      await assert.rejects(keepingRoots(files, roots).write("root", rootOf(5)), /killed/);
      assert.deepEqual([Object.keys(roots.contents), files.contents], [kept, {}]);
    }
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
    assert.deepEqual(
      [removals.length, removals[0], removals.at(-1)],
      [44, "remove 1.root", "remove 44.root"],
    );
  });

  for (const end of ["clear", "remove"] as const)
    it(`forget all roots of a trust that ends (${end})`, async () => {
      const [files, roots] = [filesInMemory(), filesInMemory()];
      const keeping = keepingRoots(files, roots);
      for (const version of [1, 2]) await keeping.write("root", rootOf(version));
      await keeping[end]("root");
      assert.deepEqual([files.contents, roots.contents], [{}, {}]);
    });
});
