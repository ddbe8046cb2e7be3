import assert from "node:assert/strict";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { ownDirectory, write } from "../../../lab/host/judged-host-file.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { readInstalledRoot, updateRootFile } from "../../../src/host/linux/host-file/installed-root.ts";

const maximumBytes = 100;

function refused(path: string, words: RegExp): Promise<void> {
  return assert.rejects(readInstalledRoot(path, { maximumBytes }), (error) => {
    assert.equal(error instanceof StewardError && error.code, "update_root_unusable", String(error));
    assert.match(String(error), words);
    return true;
  });
}

describe("the installed root of trust", asRoot, () => {
  it("lies beside the host file", () => {
    assert.equal(updateRootFile("/etc/steward/steward.json"), "/etc/steward/update-root.json");
  });

  it("is absent at first", async (test) => {
    assert.equal(await readInstalledRoot(join(ownDirectory(test), "none.json"), { maximumBytes }), null);
  });

  it("is read byte for byte", async (test) => {
    const path = write(join(ownDirectory(test), "update-root.json"), "{}\n");
    const bytes = await readInstalledRoot(path, { maximumBytes });
    assert.equal(Buffer.from(bytes ?? []).toString(), "{}\n");
  });

  it("is refused where the agent's own user could have put another one there", async (test) => {
    const directory = ownDirectory(test);
    const path = write(join(directory, "update-root.json"), "{}");
    chownSync(path, 65_534, 0);
    await refused(path, /update-root\.json must belong to root/);
    chownSync(path, 0, 0);
    chmodSync(directory, 0o775);
    await refused(path, /steward-host-file-\w+ must belong to root/);
  });

  it("is refused beyond the size that a root can have", async (test) => {
    const path = write(join(ownDirectory(test), "update-root.json"), "x".repeat(101));
    await refused(path, /has 101 bytes, more than the limit of 100/);
  });
});
