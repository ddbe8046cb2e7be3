import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualClock } from "../../../src/clock/discipline/virtual-clock.ts";
import type { ClockDriver } from "../../../src/host/ports.ts";

/** Orders to the virtual clock, or to the clock of its host; a number: so many seconds pass. */
type Deed = number | [order: "step" | "slew" | "setFrequency" | "stepHost", by: number];

const rows: readonly [what: string, deeds: readonly Deed[], wallSeconds: number][] = [
  ["begins as the host's and does not follow who sets that", [10, ["stepHost", 3_600]], 5_010],
  ["is stepped without the host's being touched", [["step", -7]], 4_993],
  ["is slewed at 500 ppm", [["slew", 0.05], 10], 5_010.005],
  ["is slewed until the rest is gone", [["slew", 0.05], 10, 1_000], 6_010.05],
  ["replaces the rest of the last slew", [["slew", 0.05], 10, ["slew", -0.001], 1_000], 6_010.004],
  ["keeps the rest of a slew as it drifts", [["slew", 0.05], ["setFrequency", 100], 200], 5_200.07],
  [
    "drops the rest of a slew at a step",
    [["slew", 0.05], 10, ["step", 1], ["setFrequency", 100], 10, ["setFrequency", 0], 180],
    5_201.006,
  ],
];

describe("a virtual clock", () => {
  for (const [what, deeds, wallSeconds] of rows)
    it(what, () => {
      const host = { wallSeconds: 5_000, monotonicSeconds: 100 };
      const refuse = (): never => assert.fail("the host's clock was set");
      const driver: ClockDriver = {
        blocker: "no_capability",
        read: () => ({ ...host }),
        kernel: () => null,
        step: refuse,
        slew: refuse,
        setFrequency: refuse,
        setQuality: refuse,
      };
      const virtual = createVirtualClock(driver);
      for (const deed of deeds) {
        if (typeof deed === "number") {
          host.wallSeconds += deed;
          host.monotonicSeconds += deed;
        } else if (deed[0] === "stepHost") host.wallSeconds += deed[1];
        else virtual[deed[0]](deed[1]);
      }
      const found = virtual.read().wallSeconds;
      assert.ok(Math.abs(found - wallSeconds) < 1e-9, `${found}, not ${wallSeconds}`);
    });
});
