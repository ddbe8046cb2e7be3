import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { createStartFilter } from "../../src/host/linux/filters.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import { createSupportBundle } from "../../src/system/support-bundle.ts";

/** The maker whose command line is this script of sh(1). */
async function makerOf(test: TestContext, text: string, places: Record<string, string> = {}) {
  const script = join(await temporaryDirectory(test), "doctor.sh");
  writeFileSync(script, text);
  const start = createStartFilter();
  return createSupportBundle({ node: "/bin/sh", script, places, start, timers: createTimers() });
}

describe("a support bundle", () => {
  const scratch = scratchDirectory();

  it("is all that doctor writes, which is told where this agent's files are, also where it has found something", async (test) => {
    const make = await makerOf(test, 'echo "$STEWARD_STATE: $*"; exit 10', { STEWARD_STATE: "/a state=1" });
    assert.equal(String(await make()), "/a state=1: doctor --quiet --bundle -\n");
  });

  it("is one for all who ask at the same time, and another one for those who ask later", async (test) => {
    const make = await makerOf(test, 'echo >> "$0.runs"; wc -l < "$0.runs"');
    const [first, second] = await Promise.all([make(), make()]);
    assert.equal(Number(String(first)), 1);
    assert.equal(second, first);
    assert.equal(Number(String(await make())), 2);
  });

  it("leaves no process behind that has written too much", async (test) => {
    const text = 'echo $$ > "$PLACE/pid"; head -c 17000000 /dev/zero; exec sleep 300';
    const make = await makerOf(test, text, { PLACE: scratch });
    await assert.rejects(make(), /more than 16777216 bytes/);
    const id = Number(readFileSync(join(scratch, "pid"), "utf8"));
    await until("it has ended", () => !existsSync(`/proc/${id}`));
  });

  for (const [name, text, why] of [
    ["doctor fails", "echo part; echo no such disk >&2; exit 1", /made: no such disk\. On/],
    ["doctor is killed", "echo part; kill -9 $$", /ended with a signal/],
    ["doctor writes nothing", "exit 0", /ended with 0/],
    ["doctor writes without an end", "cat /dev/zero", /more than 16777216 bytes/],
  ] as const)
    it(`is an error where ${name}, and can be made again`, async (test) => {
      const make = await makerOf(test, text);
      for (const _ of [1, 2]) await assert.rejects(make(), { code: "internal_error", message: why });
    });
});
