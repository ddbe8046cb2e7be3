import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import { createTreeWriter } from "../../../src/installer/unpack/tree-writer.ts";
import { createReleaseTree, type ReleaseTree } from "../../../src/releases/payload/release-tree.ts";

function treeIn(test: TestContext, bounds: { entries?: number; roomBytes?: number } = {}) {
  const top = join(makeScratch(test), "release");
  mkdirSync(top);
  const { entries = 100, roomBytes = 1024 ** 2 } = bounds;
  const store = createTreeWriter(top, roomBytes, { blockBytes: 10 });
  const tree = createReleaseTree(store, { entries, links: 10, bytes: 1024 ** 2 });
  const mode = (name: string): string => (statSync(join(top, name)).mode & 0o7777).toString(8);
  return { top, tree, mode, neededBytes: store.neededBytes };
}

function put(tree: ReleaseTree, path: readonly string[], content = "", isExecutable = false): void {
  const file = tree.file(path, isExecutable, content.length);
  file.write(Buffer.from(content), 0);
  file.close();
}

describe("the tree of a release", () => {
  it("has what was put into it, with full modes whatever the umask, and the directories above", (test) => {
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    const { top, tree, mode } = treeIn(test);
    tree.directory(["lib"]);
    put(tree, ["lib", "a"], "one");
    put(tree, ["bin", "deep", "program"], "two", true);
    put(tree, ["lib", "b"]);
    tree.link(["lib", "link"], "../bin");
    assert.deepEqual(["lib", "bin", "bin/deep", "lib/a", "lib/b", "bin/deep/program"].map(mode), [
      ...["755", "755", "755", "644", "644", "755"],
    ]);
    assert.equal(readFileSync(join(top, "bin/deep/program"), "utf8"), "two");
    assert.equal(readFileSync(join(top, "lib/a"), "utf8"), "one");
    assert.equal(readlinkSync(join(top, "lib/link")), "../bin");
  });

  it("has each name once, and nothing below a file or a link", (test) => {
    const { tree } = treeIn(test);
    put(tree, ["file"]);
    tree.link(["link"], "elsewhere");
    tree.directory(["directory"]);
    for (const name of ["file", "link", "directory"]) {
      const twice = { code: "update_payload_unsafe", message: new RegExp(`"${name}" appears twice`) };
      assert.throws(() => put(tree, [name]), twice);
      assert.throws(() => tree.link([name], "a"), twice);
      if (name !== "directory") assert.throws(() => tree.directory([name]), twice);
    }
    for (const name of ["file", "link"]) {
      const below = new RegExp(`"${name}/a" is below something that is not a directory`);
      assert.throws(() => put(tree, [name, "a"]), { code: "update_payload_unsafe", message: below });
    }
  });

  it("has as many entries as there may be, with those that were not named", (test) => {
    const { tree } = treeIn(test, { entries: 4 });
    put(tree, ["a", "b", "c"]);
    put(tree, ["a", "b", "d"]);
    assert.throws(() => tree.link(["e"], "a"), /it has more than 4 entries/);
  });

  it("takes a block for each entry, and those of its content, to the last byte of the room", (test) => {
    for (const [roomBytes, isEnough] of [
      [60, true],
      [59, false],
    ] as const) {
      const { tree, top, neededBytes } = treeIn(test, { roomBytes });
      put(tree, ["a"], "x".repeat(10));
      tree.directory(["d"]);
      put(tree, ["d", "x"], "x".repeat(11));
      assert.equal(neededBytes(), 60);
      assert.equal(existsSync(join(top, "d", "x")), isEnough);
    }
  });

  it("counts what has no room and writes none of it, so that the whole need is known", (test) => {
    const { tree, top, neededBytes } = treeIn(test, { roomBytes: -(1024 ** 2) });
    tree.directory(["d"]);
    put(tree, ["d", "x"], "x".repeat(11));
    tree.link(["l"], "d");
    assert.equal(neededBytes(), 50);
    assert.deepEqual(readdirSync(top), []);
  });

  it("says which of its files the disk does not take", (test) => {
    const { tree } = treeIn(test);
    assert.throws(() => put(tree, ["x".repeat(300)]), { code: "storage_unwritable", message: /x{300}/ });
  });
});
