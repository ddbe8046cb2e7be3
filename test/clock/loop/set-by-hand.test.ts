import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkSetByHand, type HandFacts } from "../../../src/clock/loop/set-by-hand.ts";

const facts: HandFacts = {
  way: { kind: "discipline" },
  standing: { trust: "none", state: "unsynchronised" },
  floorSeconds: 1_000,
  ceilingSeconds: 2_000,
};
const at = (seconds: number) => new Date(seconds * 1_000);

describe("setting the clock by hand", () => {
  for (const [what, time, more, code] of [
    ["no date", new Date(Number.NaN), {}, "validation_failed"],
    ["a time below the floor", at(999), {}, "time_implausible"],
    ["a time beyond the ceiling", at(2_001), {}, "time_implausible"],
    [
      "a clock that servers keep",
      at(1_500),
      { standing: { trust: "accepted", state: "synchronised" } },
      "conflict_discipliner",
    ],
    [
      "a clock that a daemon keeps",
      at(1_500),
      { way: { kind: "delegate", daemon: "chronyd" }, standing: { trust: "trusted", state: "delegated" } },
      "conflict_discipliner",
    ],
    ["a time below the floor in mode manual", at(999), { way: { kind: "manual" } }, "time_implausible"],
  ] as const) {
    it(`refuses ${what} with ${code}`, () => {
      assert.throws(() => checkSetByHand(time, { ...facts, ...more }), { code });
    });
  }

  it("takes a time that can be true where nobody better knows", () => {
    checkSetByHand(at(1_500), facts);
    checkSetByHand(at(1_500), { ...facts, standing: { trust: "accepted", state: "manual" } });
    checkSetByHand(at(1_500), {
      ...facts,
      way: { kind: "manual" },
      standing: { trust: "trusted", state: "manual" },
    });
    assert.throws(() => checkSetByHand(at(1), facts), { code: "time_implausible" });
  });
});
