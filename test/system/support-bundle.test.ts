import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
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
  it("is all that doctor writes, which is told where this agent's files are", async (test) => {
    const make = await makerOf(test, 'echo "$STEWARD_STATE: $*"', { STEWARD_STATE: "/a state=1" });
    assert.equal(String(await make()), "/a state=1: doctor --quiet --bundle -\n");
  });

  it("is whole where doctor has found something to do", async (test) => {
    const make = await makerOf(test, "echo archive; exit 10");
    assert.equal(String(await make()), "archive\n");
  });

  for (const [name, text, why] of [
    ["doctor fails", "echo part; echo no such disk >&2; exit 1", /no such disk/],
    ["doctor is killed", "echo part; kill -9 $$", /ended with a signal/],
    ["doctor writes nothing", "exit 0", /ended with 0/],
    ["doctor writes without an end", "cat /dev/zero", /more than 16777216 bytes/],
  ] as const)
    it(`is an error where ${name}, and can be made again`, async (test) => {
      const make = await makerOf(test, text);
      for (const _ of [1, 2]) await assert.rejects(make(), { code: "internal_error", message: why });
    });
});
