import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { testProgram } from "../../lab/basics/test-program.ts";
import { until } from "../../lab/basics/until.ts";
import { beginNotes, readNotes } from "../../scripts/test-runner/costs.ts";
import { startMeter, watchChildren } from "../../scripts/test-runner/processor-time.ts";

/** Seconds that the grandchild of noted-process.ts uses. */
const busySeconds = 0.5;

describe("the processor time of a test file", () => {
  const ending = endOfSuite();

  it("holds that of processes for which no parent waits, as Chromium's renderers", async (test) => {
    const meter = startMeter();
    const { isPartial } = meter;
    meter.end();
    if (isPartial) return test.skip("this host gives no control group");
    const directory = await temporaryDirectory(ending);
    const notes = join(directory, "notes");
    const before = process.env.STEWARD_TEST_COSTS;
    beginNotes(notes);
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...testProgram(join(import.meta.dirname, "noted-process.ts")),
      join(directory, "ended"),
    ]);
    process.env.STEWARD_TEST_COSTS = before;
    const [cost] = readNotes(notes);
    assert.ok(cost !== undefined, "no note was made");
    const others = cost.processorSeconds - Number(stdout);
    assert.ok(others > busySeconds * 0.9, `${others} s beyond what was waited for`);
  });

  it("is the sum over descendants where there is no control group", async () => {
    const secondsOf = watchChildren();
    const busy =
      "while (process.cpuUsage().user < 500_000) for (let i = 0; i < 1e6; i += 1); process.stdin.resume();";
    // The child itself does nothing: its own child does.
    const child = spawn("sh", ["-c", '"$0" -e "$1"; :', process.execPath, busy], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    await until("its child's time is seen", () => secondsOf(child.pid ?? 0) > busySeconds * 0.9);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    await ended;
    assert.ok(secondsOf(child.pid ?? 0) > busySeconds * 0.9, "it is forgotten when it has ended");
  });
});
