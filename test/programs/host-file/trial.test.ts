import assert from "node:assert/strict";
import { chmodSync, chownSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";

import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { readAt, refused, write } from "../../../lab/host/judged-host-file.ts";

describe("the host file of a trial, away from the usual place", asRoot, () => {
  /** Debian's nobody: a user who is neither root nor, in the words of these tests, the one who runs the agent. */
  const other = 65_534;
  const self = 1_234;

  /** A file and its folder of this user, under a directory that everybody can write. */
  function trial(owner: number): { path: string; directory: string } {
    const directory = scratchDirectory();
    const path = write(join(directory, "steward.json"), { product: "demo" });
    for (const one of [path, directory]) chownSync(one, owner, 0);
    return { path, directory };
  }

  it("counts where it and its folder belong to the user who runs the agent, wherever they are", async () => {
    const { path } = trial(self);
    assert.equal((await readAt(path, self)).product, "demo");
  });

  it("counts where that user is root", async () => {
    const { path } = trial(0);
    assert.equal((await readAt(path, 0)).product, "demo");
  });

  it("counts where root has written it into that user's folder", async () => {
    const { path } = trial(self);
    chownSync(path, 0, 0);
    assert.equal((await readAt(path, self)).product, "demo");
  });

  it("does not count at the usual place: a compromised agent runs as that user", async () => {
    await refused(trial(self).path, /steward\.json must belong to root and/);
  });

  it("does not count where it is a third one's", async () => {
    const { path } = trial(self);
    chownSync(path, other, 0);
    await refused(path, /steward\.json must belong to root, or to the user who runs this/, self);
  });

  it("does not count in a third one's folder, who could replace it", async () => {
    const { path, directory } = trial(self);
    chownSync(directory, other, 0);
    await refused(path, new RegExp(`${directory} must belong to`), self);
  });

  it("does not count in a folder of its own that others can write", async () => {
    const { path, directory } = trial(self);
    chmodSync(directory, 0o770);
    await refused(path, new RegExp(`${directory} must belong to`), self);
  });

  it("of root's does not count in a folder of root that another user can move away", async () => {
    const { path } = trial(0);
    await refused(path, new RegExp(`${tmpdir()} must belong to`), self);
  });
});
