import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
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
});
