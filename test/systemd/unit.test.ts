import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";

const unit = join(import.meta.dirname, "../../systemd/steward.service");

function verify(path: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--recursive-errors=no", path], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

describe("systemd/steward.service", () => {
  it("is accepted by systemd-analyze verify without a word", () => {
    assert.deepEqual(verify(unit), { status: 0, output: "" });
  });

  it("with a misspelled directive would not be", () => {
    const directory = mkdtempSync(join(tmpdir(), "steward-unit-"));
    const broken = join(directory, "steward.service");
    cpSync(unit, broken);
    writeFileSync(broken, readFileSync(unit, "utf8").replace("StateDirectoryMode=", "StateDirectoriesMode="));
    const { output } = verify(broken);
    rmSync(directory, { recursive: true });
    assert.match(output, /StateDirectoriesMode/);
  });

  it("gives the agent more time to stop than the agent takes", () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(readFileSync(unit, "utf8"))?.[1]);
    assert.ok(seconds > 5, "seconds > 5");
  });
});
