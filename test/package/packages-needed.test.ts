import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";

const script = join(import.meta.dirname, "../../scripts/packages.sh");

/** The Debian packages that are asked for on a PC with no tool, by a user who may install none. */
function neededFor(test: TestContext, ...machines: readonly string[]): string {
  const PATH = temporaryDirectory(test);
  symlinkSync("/bin/sh", join(PATH, "sh"));
  symlinkSync("/usr/bin/dirname", join(PATH, "dirname"));
  for (const [name, says] of Object.entries({ id: "1000", uname: "x86_64" })) {
    writeFileSync(join(PATH, name), `#!/bin/sh\necho ${says}\n`);
    chmodSync(join(PATH, name), 0o755);
  }
  const { status, stderr } = spawnSync("/bin/sh", [script, "package", ...machines], {
    env: { PATH },
    encoding: "utf8",
  });
  assert.equal(status, 1, stderr);
  return stderr;
}

describe("make package", () => {
  it("for amd64 needs no tool for arm64", (test) => {
    const needed = neededFor(test, "amd64");
    assert.match(needed, /lintian gcc-x86-64-linux-gnu/);
    assert.doesNotMatch(needed, /arm64|aarch64|qemu/);
  });

  it("for arm64 needs its compiler and its emulator, and none for amd64", (test) => {
    const needed = neededFor(test, "arm64");
    assert.match(needed, /gcc-aarch64-linux-gnu .*qemu-user-static/);
    assert.doesNotMatch(needed, /x86-64/);
  });

  it("for all needs both", (test) => {
    assert.match(neededFor(test), /gcc-x86-64-linux-gnu .*gcc-aarch64-linux-gnu/);
  });
});
