import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusalOf, requireMaySet, type SetByHandFacts } from "../../../src/clock/status/refusals.ts";

const facts: SetByHandFacts = {
  mode: { kind: "discipline" },
  syncStatus: { trust: "none", state: "unsynchronised" },
  floorSeconds: 1_000,
  ceilingSeconds: 2_000,
};
const at = (seconds: number) => new Date(seconds * 1_000);

describe("a round that found no time", () => {
  it("names the server that refuses this device, and does not ask to check the network", () => {
    const refusal = { server: "ntp.example", cause: "DENY" };
    assert.equal(
      refusalOf({ kind: "no_time_source", refusal })?.message,
      "None of the time servers gives a usable answer: ntp.example refuses this device (DENY). Name others in time.servers. `steward time status` says why for each. Without a network: `steward time set TIME`.",
    );
    assert.match(refusalOf({ kind: "no_time_source", refusal: null })?.message ?? "", /Check the network/);
  });
});

describe("setting the clock by hand", () => {
  for (const [what, time, more, code] of [
    ["no date", new Date(Number.NaN), {}, "validation_failed"],
    ["a time below the floor", at(999), {}, "time_implausible"],
    ["a time beyond the ceiling", at(2_001), {}, "time_implausible"],
    [
      "a clock that servers keep",
      at(1_500),
      { syncStatus: { trust: "accepted", state: "synchronised" } },
      "conflict_discipliner",
    ],
    [
      "a clock that a daemon keeps",
      at(1_500),
      { mode: { kind: "delegate", daemon: "chronyd" }, syncStatus: { trust: "trusted", state: "delegated" } },
      "conflict_discipliner",
    ],
    ["a time below the floor in mode manual", at(999), { mode: { kind: "manual" } }, "time_implausible"],
  ] as const) {
    it(`refuses ${what} with ${code}`, () => {
      assert.throws(() => requireMaySet(time, { ...facts, ...more }), { code });
    });
  }

  it("takes a time that can be true where no server or daemon keeps the clock right", () => {
    requireMaySet(at(1_500), facts);
    requireMaySet(at(1_500), { ...facts, syncStatus: { trust: "accepted", state: "manual" } });
    requireMaySet(at(1_500), {
      ...facts,
      mode: { kind: "manual" },
      syncStatus: { trust: "trusted", state: "manual" },
    });
    assert.throws(() => requireMaySet(at(1), facts), { code: "time_implausible" });
  });
});
