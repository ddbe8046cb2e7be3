import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backOff, endBackOff, isBackingOff, noBackOff } from "../../../src/clock/state/external-change.ts";
import { isSameMode, resolveMode } from "../../../src/clock/state/mode.ts";
import { implausible, verdictWithout } from "../../../src/clock/state/verdict.ts";

const change = { kind: "step", seconds: 10 } as const;

describe("an external change", () => {
  it("is backed off from for two minutes, twice as long each time, an hour at most, and as at first after a day", () => {
    let present = noBackOff;
    const waits = [0, 1, 2, 3, 4, 5, 6, 60].map((index) => {
      const now = 5_000 * index;
      present = backOff(present, change, now);
      const { waitSeconds } = present;
      const isOff = [waitSeconds - 1, waitSeconds].map((wait) => isBackingOff(present, now + wait));
      assert.deepEqual(isOff, [true, false]);
      return waitSeconds;
    });
    assert.deepEqual(waits, [120, 240, 480, 960, 1_920, 3_600, 3_600, 120]);
  });

  it("is forgotten when a correction is requested", () => {
    const present = endBackOff(backOff(noBackOff, change, 0), 10);
    assert.equal(isBackingOff(present, 10), false);
    assert.equal(present.conflict, null);
  });

  it("is told by code, with its figure and a sentence", () => {
    const none = { daemon: null, step_seconds: null, frequency_ppm: null };
    assert.deepEqual(backOff(noBackOff, { kind: "step", seconds: -2 }, 0).conflict, {
      ...{ ...none, code: "clock_stepped", step_seconds: -2 },
      detail: "Another program or person set the clock back by 2.00 s.",
    });
    assert.deepEqual(backOff(noBackOff, { kind: "frequency", ppm: 7 }, 0).conflict, {
      ...{ ...none, code: "frequency_set", frequency_ppm: 7 },
      detail: "Another program set the clock's frequency to 7.000 ppm.",
    });
  });
});

const free = { daemon: null, blocker: null, isBackingOff: false } as const;
const daemon = { ...free, daemon: "chronyd" } as const;
const blocked = { ...free, blocker: "no_capability" } as const;

const because = (setting: Parameters<typeof resolveMode>[0], host: Parameters<typeof resolveMode>[1]) => {
  const mode = resolveMode(setting, host);
  return mode.kind === "observe" ? `observe: ${mode.because}` : mode.kind;
};

describe("the effective mode", () => {
  const table = [
    ["auto", free, "discipline"],
    ["auto", daemon, "delegate"],
    ["auto", blocked, "observe: no_capability"],
    ["auto", { ...free, isBackingOff: true }, "observe: external_change"],
    ["auto", { ...daemon, blocker: "no_addon" }, "delegate"],
    ["discipline", free, "discipline"],
    ["discipline", daemon, "observe: other_daemon"],
    ["discipline", blocked, "observe: no_capability"],
    ["delegate", daemon, "delegate"],
    ["delegate", free, "observe: no_daemon"],
    ["observe", free, "observe: chosen"],
    ["observe", daemon, "observe: chosen"],
    ["manual", daemon, "manual"],
    ["manual", { ...free, isBackingOff: true }, "manual"],
  ] as const;
  for (const [mode, host, expected] of table)
    it(`is ${expected} in mode ${mode} with ${JSON.stringify(host)}`, () => {
      assert.equal(because(mode, host), expected);
    });

  it("is another one when the reason or the daemon is", () => {
    const found = isSameMode(resolveMode("auto", daemon), resolveMode("auto", { ...daemon, daemon: "ntpd" }));
    assert.equal(found, false);
    assert.equal(isSameMode(null, resolveMode("auto", free)), false);
    assert.equal(isSameMode(resolveMode("auto", free), resolveMode("discipline", free)), true);
  });
});

describe("the verdict on a round", () => {
  const bounds = { atSeconds: () => 1_000, ceilingSeconds: () => 2_000 };

  it("finds a time below the floor or beyond the ceiling impossible, and those between not", () => {
    assert.equal(implausible(999.9, bounds)?.kind, "below_floor");
    assert.equal(implausible(2_000.1, bounds)?.kind, "beyond_ceiling");
    assert.equal(implausible(1_000, bounds), null);
    assert.equal(implausible(2_000, bounds), null);
  });

  it("tells why the sources give no time", () => {
    const few = { kind: "too_few", agreeing: ["a"], needed: 2, falsetickers: [] } as const;
    assert.deepEqual(verdictWithout(few, null, null), { kind: "too_few", agreeing: 1, needed: 2 });
    assert.deepEqual(verdictWithout(few, 3, null), {
      ...{ kind: "too_few_authenticated", agreeing: 1, needed: 2, configured: 3 },
    });
    for (const authenticated of [null, 3]) {
      const disagreeing = ["a", "b"];
      assert.deepEqual(verdictWithout({ kind: "no_majority", disagreeing }, authenticated, null), {
        kind: "no_majority",
      });
      for (const refusal of [null, { server: "192.0.2.1", cause: "DENY" }]) {
        const verdict = verdictWithout({ kind: "none" }, authenticated, refusal);
        assert.deepEqual(verdict, { kind: "no_time_source", refusal });
      }
    }
  });
});
