import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { implausible, verdictWithout } from "../../../src/clock/state/verdict.ts";

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
