import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { testProgram } from "../../../lab/basics/test-program.ts";
import { traceClock } from "../../../lab/host/clock-calls.ts";
import type { ProcessStatus } from "./capability-process.ts";

const addonPath = join(import.meta.dirname, "../../../dist/clock-steering.node");
const skip = process.getuid?.() !== 0 && "only root can become another user";

function becomeNobody(
  prefix: readonly string[],
  addon = addonPath,
): {
  isKept: boolean;
  main: ProcessStatus;
  others: ProcessStatus[];
  pid: number;
} {
  const program = testProgram(join(import.meta.dirname, "capability-process.ts"));
  const node = [process.execPath, ...program, addon];
  const [command = "", ...rest] = [...prefix, ...node];
  const { stdout, stderr, pid } = spawnSync(command, rest, { encoding: "utf8" });
  assert.ok(stdout, stderr);
  return { ...JSON.parse(stdout), pid };
}

const none = "0000000000000000";
const timeAlone = "0000000002000000";
const nobodyOnly = "65534 65534 65534 65534";

describe("root that becomes the state's owner to set the clock", { skip }, () => {
  it("keeps CAP_SYS_TIME alone, in its main thread alone, and sets no clock by that", async () => {
    const directory = scratchDirectory();
    const trace = traceClock(directory);
    const { isKept, main, others, pid } = becomeNobody(trace.prefix);
    assert.equal(isKept, true);
    assert.deepEqual(main, {
      Uid: nobodyOnly,
      CapInh: none,
      CapPrm: timeAlone,
      CapEff: timeAlone,
      CapAmb: none,
    });
    assert.ok(others.length > 0, "node has threads besides the main one");
    for (const other of others)
      assert.deepEqual(other, { Uid: nobodyOnly, CapInh: none, CapPrm: none, CapEff: none, CapAmb: none });
    assert.deepEqual(await trace.settingCalls(pid), []);
  });

  it("keeps nothing at all where root itself may not set the clock", () => {
    const { isKept, main } = becomeNobody(["setpriv", "--inh-caps=-sys_time", "--bounding-set=-sys_time"]);
    assert.equal(isKept, false);
    assert.deepEqual(main, { Uid: nobodyOnly, CapInh: none, CapPrm: none, CapEff: none, CapAmb: none });
  });

  it("still becomes the owner, and keeps nothing, without the addon", () => {
    const { isKept, main } = becomeNobody([], "/nowhere/clock-steering.node");
    assert.equal(isKept, false);
    assert.deepEqual(main, { Uid: nobodyOnly, CapInh: none, CapPrm: none, CapEff: none, CapAmb: none });
  });
});
