import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { makeReadOnly, mountPrivately } from "../../../lab/state/private-mount.ts";
import { rootFileFailure, writeRootFile } from "../../../src/cli/client/root-file.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const refusal = (code: string) => Object.assign(new Error(`${code}: of the system`), { code });

describe("a file of root's", () => {
  it("is written in a directory that others can read, whatever the umask", async (test) => {
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    const path = join(temporaryDirectory(test), "etc/steward/steward.json");
    await writeRootFile(path, { content: "{}\n", mode: 0o644 });
    assert.equal(readFileSync(path, "utf8"), "{}\n");
    assert.equal(statSync(path).mode & 0o777, 0o644);
    assert.equal(statSync(join(path, "..")).mode & 0o777, 0o755);
  });

  it("on a read-only /etc is refused with what to do, and where it is meant to be so", async (test) => {
    const mount = await mountPrivately(test, 4);
    if (typeof mount === "string") return test.skip(mount);
    mount.run(makeReadOnly);
    for (const name of ["steward.json", "steward/steward.json"]) {
      const writing = writeRootFile(join(mount.seen, name), { content: "{}\n", mode: 0o644 });
      await assert.rejects(writing, (error: StewardError) => {
        assert.equal(error.code, "storage_unwritable");
        assert.match(error.message, /\(EROFS\).*mounted read-only.*docs\/read-only-root\.md/s);
        return true;
      });
    }
  });

  it("is root's to another user, and any other refusal has its advice", () => {
    const path = "/etc/steward/steward.json";
    for (const code of ["EACCES", "EPERM"]) {
      const found = rootFileFailure(
        new StewardError("storage_unwritable", "", { cause: refusal(code) }),
        path,
      );
      assert.match(found.message, /is root's; run the command as root/);
    }
    assert.match(rootFileFailure(refusal("ENOSPC"), path).message, /The disk is full: steward\.json/);
  });
});
