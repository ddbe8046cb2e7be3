import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Finding } from "../../src/contract/types.ts";
import { ordinaryHost, run, scenarioOf, servers } from "./scenario.ts";

const day = 86_400;

/** Returns the finding half an hour after a start at which the battery-backed clock was so far off. */
async function foundAfter(offSeconds: number | null, host: object = {}): Promise<Finding | null> {
  let found: Finding | null = null;
  const battery =
    offSeconds === null ? {} : { battery: new Date((ordinaryHost.trueStartSeconds + offSeconds) * 1_000) };
  const look = {
    atSeconds: 1_800,
    act: (at: { clock: { trouble(): Finding | null } }) => {
      found = at.clock.trouble();
    },
  };
  const plan = { ...battery, ...host };
  await run(scenarioOf({ seconds: 1_900, host: plan, deeds: [look], bounds: {} }));
  return found;
}

describe("a battery-backed clock", () => {
  it("that was years off at the start is found once the time is known, in either direction", async () => {
    for (const years of [-27, 40]) {
      const found = await foundAfter(years * 365 * day);
      assert.equal(found?.code, "battery_clock_wrong");
      const { offset_seconds = 0 } = (found?.facts ?? {}) as { offset_seconds?: number };
      // Positive: it was behind.
      assert.ok(Math.abs(offset_seconds + years * 365 * day) < 5, String(offset_seconds));
      assert.match(
        found?.detail ?? "",
        years < 0 ? /9855 days behind.*Replace its battery/ : /14600 days ahead/,
      );
    }
  });

  it("that is a few hours off, as in another zone, or is not there, is no finding", async () => {
    for (const off of [0, -14 * 3_600, 14 * 3_600, null]) assert.equal(await foundAfter(off), null);
  });

  it("is not judged by a clock that is not known to be right", async () => {
    const found = await foundAfter(-27 * 365 * day, { servers: servers({ manner: "silent" }) });
    assert.notEqual(found?.code, "battery_clock_wrong");
  });
});
