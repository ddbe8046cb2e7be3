import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Verdict } from "../../../src/clock/state/verdict.ts";
import { refusalOf, requireMaySet, type SetByHandFacts } from "../../../src/clock/status/refusals.ts";

describe("the refusal of a correction", () => {
  const verdicts: readonly (readonly [Verdict, code: string | null])[] = [
    [{ kind: "agreed" }, null],
    [{ kind: "disturbed" }, null],
    [{ kind: "to_be_confirmed", seconds: 5 }, null],
    [{ kind: "no_servers" }, "no_time_source"],
    [{ kind: "no_time_source", refusal: null }, "no_time_source"],
    [{ kind: "no_majority" }, "no_majority"],
    [{ kind: "too_few", agreeing: 1, needed: 2 }, "no_majority"],
    [{ kind: "too_few_authenticated", agreeing: 1, needed: 2, configured: 3 }, "no_majority"],
    [{ kind: "suspect", id: "ntp.example", seconds: 9 }, "no_majority"],
    [{ kind: "panic_threshold", seconds: 3_600 }, "panic_threshold"],
    [{ kind: "below_floor", measuredSeconds: 0 }, "time_implausible"],
    [{ kind: "beyond_ceiling", measuredSeconds: 1e10 }, "time_implausible"],
  ];
  for (const [verdict, code] of verdicts)
    it(`is ${code} after ${verdict.kind}`, () => {
      assert.equal(refusalOf(verdict)?.code ?? null, code);
    });

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
  const facts: SetByHandFacts = {
    mode: { kind: "discipline" },
    syncStatus: { trust: "none", state: "unsynchronised" },
    floorSeconds: 1_000,
    ceilingSeconds: 2_000,
  };
  const byServers = { syncStatus: { trust: "accepted", state: "synchronised" } } as const;
  const byDaemon = {
    mode: { kind: "delegate", daemon: "chronyd" },
    syncStatus: { trust: "trusted", state: "delegated" },
  } as const;
  const manual = { mode: { kind: "manual" } } as const;
  const byHand = { trust: "accepted", state: "manual" } as const;
  for (const [what, seconds, more, code] of [
    ["no date", Number.NaN, {}, "validation_failed"],
    ["a time below the floor", 999, {}, "time_implausible"],
    ["a time below the floor in mode manual", 999, manual, "time_implausible"],
    ["a time beyond the ceiling", 2_001, {}, "time_implausible"],
    ["a clock that servers keep", 1_500, byServers, "conflict_discipliner"],
    ["a clock that a daemon keeps", 1_500, byDaemon, "conflict_discipliner"],
    ["a clock that nothing keeps", 1_500, {}, null],
    ["a clock that was set by hand before", 1_500, { syncStatus: byHand }, null],
    ["a clock in mode manual", 1_500, { ...byServers, ...manual }, null],
  ] as const)
    it(`${code === null ? "is done to" : `refuses ${code}:`} ${what}`, () => {
      const set = () => requireMaySet(new Date(seconds * 1_000), { ...facts, ...more });
      if (code === null) set();
      else assert.throws(set, { code });
    });
});
