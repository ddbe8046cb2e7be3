import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filesInMemory } from "../../lab/publisher/refreshing.ts";
import { keepingRoots } from "../../src/tuf/kept-roots.ts";

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
