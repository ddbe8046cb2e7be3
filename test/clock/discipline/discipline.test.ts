import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Action,
  beginDiscipline,
  type DisciplineRules,
  type DisciplineState,
  discipline,
  type Measurement,
} from "../../../src/clock/discipline/discipline.ts";

const usualRules: DisciplineRules = {
  panicSeconds: 1_000,
  isStepAllowed: true,
  isRequested: false,
  isForced: false,
  nowSeconds: 1_000,
  pollSeconds: 64,
};

function measured(offsetSeconds: number, more: Partial<Measurement> = {}): Measurement {
  const noise = {
    jitterSeconds: 1e-4,
    noiseSeconds: 1e-4,
    usualNoiseSeconds: 1e-4,
    uncertaintySeconds: 0.01,
  };
  const votes = { agreeing: 4, disagreeing: 0, configured: 4, isAuthenticated: false };
  return { atSeconds: 1_000, offsetSeconds, ...noise, ...votes, ...more };
}

/** The same offset at so many polls, 64 s apart; the action at each. */
function polls(
  state: DisciplineState,
  count: number,
  offsetSeconds: number,
  more: Partial<Measurement> = {},
  rules: Partial<DisciplineRules> = {},
): Action[] {
  const actions: Action[] = [];
  let present = state;
  for (let poll = 0; poll < count; poll += 1) {
    const atSeconds = 1_000 + 64 * poll;
    const measurement = measured(offsetSeconds, { atSeconds, ...more });
    const decision = discipline(
      present,
      measurement,
      { ...usualRules, nowSeconds: atSeconds, ...rules },
      null,
    );
    present = decision.state;
    actions.push(decision.action);
  }
  return actions;
}

const kinds = (actions: readonly Action[]) =>
  actions.map((action) => (action.kind === "none" ? action.why : action.kind));

const fresh = beginDiscipline(true, 0);
const inService = beginDiscipline(false, 0);

describe("the decision on a measurement", () => {
  describe("when nothing relies on the clock yet", () => {
    it("steps any large offset at once", () => {
      assert.deepEqual(kinds(polls(fresh, 1, 1e6)), ["step"]);
      assert.deepEqual(kinds(polls(fresh, 1, -1e6)), ["step"]);
    });

    it("slews what lies below 128 ms", () => {
      assert.deepEqual(kinds(polls(fresh, 1, 0.1279)), ["slew"]);
      assert.deepEqual(kinds(polls(fresh, 1, 0.1281)), ["step"]);
    });
  });

  describe("in service", () => {
    it("steps when three polls agree, not before", () => {
      assert.deepEqual(kinds(polls(inService, 3, 5)), ["to_be_confirmed", "to_be_confirmed", "step"]);
    });

    it("takes the same sample for no confirmation", () => {
      const same = { atSeconds: 1_000 };
      assert.deepEqual(new Set(kinds(polls(inService, 10, 5, same))), new Set(["to_be_confirmed"]));
    });

    it("steps at once when a person asks", () => {
      assert.deepEqual(kinds(polls(inService, 1, 5, {}, { isRequested: true })), ["step"]);
    });

    it("never steps where that is not allowed", () => {
      const actions = polls(inService, 10, 5, {}, { isStepAllowed: false });
      assert.ok(!kinds(actions).includes("step"), "a step was made");
    });

    it("refuses what lies beyond the panic threshold, however often it comes", () => {
      assert.deepEqual(new Set(kinds(polls(inService, 10, -1_001))), new Set(["refuse"]));
    });

    it("refuses it to a person as well, unless forced", () => {
      assert.deepEqual(kinds(polls(inService, 1, -2_000, {}, { isRequested: true })), ["refuse"]);
      assert.deepEqual(kinds(polls(inService, 1, -2_000, {}, { isForced: true })), ["step"]);
    });

    it("goes forward after a pause when three agree for five polls and none contradicts", () => {
      assert.deepEqual(kinds(polls(inService, 5, 2_000, { agreeing: 3 })), [
        ...Array(4).fill("refuse"),
        "step",
      ]);
      assert.ok(!kinds(polls(inService, 10, 2_000, { agreeing: 2 })).includes("step"), "two were enough");
      assert.ok(
        !kinds(polls(inService, 10, 2_000, { disagreeing: 1 })).includes("step"),
        "one was against it",
      );
    });

    it("trims by 10 ppm at most and never beyond what the kernel can", () => {
      const trimmed = polls(inService, 1, 0.002, { noiseSeconds: 0.001 })[0];
      assert.ok(trimmed?.kind === "slew" && trimmed.seconds === 0, "it was slewed");
      assert.ok(Math.abs(trimmed.frequencyPpm) <= 10, `${trimmed.frequencyPpm} ppm`);
      const stored = discipline(inService, measured(0.002, { noiseSeconds: 0.001 }), usualRules, 499);
      assert.ok(stored.action.kind === "slew" && stored.action.frequencyPpm === 500, "beyond 500 ppm");
    });

    it("does nothing with what it has seen", () => {
      assert.deepEqual(kinds(polls(inService, 2, 0.001, { atSeconds: 1_000 })), ["slew", "nothing_new"]);
    });
  });
});
