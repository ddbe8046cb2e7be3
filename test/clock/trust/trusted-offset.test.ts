import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TrustedOffset } from "../../../src/clock/trust/trusted-offset.ts";

/** `set` seconds are what the host's clock lacks; then its two clocks go on by so many seconds. */
const rows: readonly [what: string, set: number | null, wall: number, monotonic: number, lacks: number][] = [
  ["is none while no time is trusted", null, 3_600, 0, 0],
  ["is what the host's clock lacks", 12, 0, 0, 12],
  ["makes up for a step of the host's clock", 0, 3_600, 0, -3_600],
  ["runs on with monotonic time", 12, 500, 500, 12],
  ["takes the coarseness of its clocks for nothing", 0, 0.04, 0, 0],
];

describe("the trusted offset", () => {
  for (const [what, set, wall, monotonic, lacks] of rows)
    it(`${what}, until it is forgotten`, () => {
      const clocks = { wallMilliseconds: 1_000_000, uptime: 50 };
      const trusted = new TrustedOffset(
        () => clocks.wallMilliseconds,
        () => clocks.uptime,
      );
      if (set !== null) trusted.set(set);
      clocks.wallMilliseconds += wall * 1_000;
      clocks.uptime += monotonic;
      assert.equal(trusted.seconds(), lacks);
      trusted.forget();
      assert.equal(trusted.seconds(), 0);
    });
});
