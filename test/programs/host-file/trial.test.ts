import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";

import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { readAt, refused, write } from "../../../lab/host/judged-host-file.ts";

describe("the host file of a trial, away from the usual place", asRoot, () => {
  /** Debian's nobody: a user who is neither root nor, in the words of these tests, the one who runs the agent. */
  const other = 65_534;
  const self = 1_234;

  /** A file and its folder of this user, under a directory that everybody can write. */
  function trial(test: TestContext, owner: number): { path: string; directory: string } {
    const directory = mkdtempSync(join(tmpdir(), "steward-host-file-"));
    test.after(() => rmSync(directory, { recursive: true }));
    const path = write(join(directory, "steward.json"), { product: "demo" });
    for (const one of [path, directory]) chownSync(one, owner, 0);
    return { path, directory };
  }

  it("counts where it and its folder belong to the user who runs the agent, wherever they are", async (test) => {
    const { path } = trial(test, self);
    assert.equal((await readAt(path, self)).product, "demo");
  });

  it("counts where that user is root", async (test) => {
    const { path } = trial(test, 0);
    assert.equal((await readAt(path, 0)).product, "demo");
  });

  it("counts where root has written it into that user's folder", async (test) => {
    const { path } = trial(test, self);
    chownSync(path, 0, 0);
    assert.equal((await readAt(path, self)).product, "demo");
  });

  it("does not count at the usual place: a compromised agent runs as that user", async (test) => {
    await refused(trial(test, self).path, /steward\.json must belong to root and/);
  });

  it("does not count where it is a third one's", async (test) => {
    const { path } = trial(test, self);
    chownSync(path, other, 0);
    await refused(path, /steward\.json must belong to root, or to the user who runs this/, self);
  });

  it("does not count in a third one's folder, who could replace it", async (test) => {
    const { path, directory } = trial(test, self);
    chownSync(directory, other, 0);
    await refused(path, /host-file-\w+ must belong to/, self);
  });

  it("does not count in a folder of its own that others can write", async (test) => {
    const { path, directory } = trial(test, self);
    chmodSync(directory, 0o770);
    await refused(path, /host-file-\w+ must belong to/, self);
  });

  it("of root's does not count in a folder of root that another user can move away", async (test) => {
    const { path } = trial(test, 0);
    await refused(path, new RegExp(`${tmpdir()} must belong to`), self);
  });
});
