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

interface Outcome {
  readonly isKept: boolean;
  readonly main: ProcessStatus;
  readonly others: readonly ProcessStatus[];
  readonly pid: number;
}

function becomeNobody(prefix: readonly string[], addon = addonPath): Outcome {
  const program = testProgram(join(import.meta.dirname, "capability-process.ts"));
  const [command = "", ...rest] = [...prefix, process.execPath, ...program, addon];
  const { stdout, stderr, pid } = spawnSync(command, rest, { encoding: "utf8" });
  assert.ok(stdout, stderr);
  return { ...JSON.parse(stdout), pid };
}

const none = "0000000000000000";
const timeOnly = "0000000002000000";
const withoutAny = { Uid: "65534 65534 65534 65534", CapInh: none, CapPrm: none, CapEff: none, CapAmb: none };

describe("root that becomes the state's owner to set the clock", { skip }, () => {
  it("keeps CAP_SYS_TIME alone, in its main thread alone, and sets no clock by that", async () => {
    const trace = traceClock(scratchDirectory());
    const { isKept, main, others, pid } = becomeNobody(trace.prefix);
    assert.deepEqual([isKept, main], [true, { ...withoutAny, CapPrm: timeOnly, CapEff: timeOnly }]);
    assert.ok(others.length > 0, "node has threads besides the main one");
    for (const other of others) assert.deepEqual(other, withoutAny);
    assert.deepEqual(await trace.settingCalls(pid), []);
  });

  it("still becomes the owner, and keeps nothing, where root may not set the clock, or without the addon", () => {
    for (const { isKept, main } of [
      becomeNobody(["setpriv", "--inh-caps=-sys_time", "--bounding-set=-sys_time"]),
      becomeNobody([], "/nowhere/clock-steering.node"),
    ])
      assert.deepEqual([isKept, main], [false, withoutAny]);
  });
});
