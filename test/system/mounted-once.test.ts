import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mountedOnce } from "../../src/system/mounted-once.ts";

const mountsOf = (...all: readonly (readonly [fs: string, mount: string])[]): string[] =>
  mountedOnce(all.map(([fs, mount]) => ({ fs, mount }))).map(({ mount }) => mount);

describe("file systems that are mounted more than once", () => {
  it("are listed once, by the shortest path", () => {
    const state = ["/dev/vda1", "/var/lib/steward"] as const;
    assert.deepEqual(mountsOf(state, ["/dev/vda1", "/"], ["/dev/vdb", "/data"]), ["/", "/data"]);
    assert.deepEqual(mountsOf(["/dev/vda1", "/a"], ["/dev/vda1", "/b"], ["/dev/vda1", "/a"]), ["/a"]);
  });

  it("are each listed where they are others of the same kind in memory", () => {
    assert.deepEqual(mountsOf(["tmpfs", "/run"], ["tmpfs", "/tmp"]), ["/run", "/tmp"]);
  });
});
