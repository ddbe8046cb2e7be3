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

const fresh = beginDiscipline(true, 0);
const inService = beginDiscipline(false, 0);
const atOnce = { atSeconds: 1_000 };

/** The clock's state, the offset at each of some polls, and what is decided at each of them. */
const rows: readonly (readonly [
  what: string,
  state: DisciplineState,
  offsetSeconds: number,
  decided: readonly string[],
  more?: Partial<Measurement>,
  rules?: Partial<DisciplineRules>,
])[] = [
  ["steps forward at once when nothing relies on the clock yet", fresh, 1e6, ["step"]],
  ["steps back at once then", fresh, -1e6, ["step"]],
  ["slews what lies below 128 ms then", fresh, 0.1279, ["slew"]],
  ["steps what lies above 128 ms then", fresh, 0.1281, ["step"]],
  ["steps in service when three polls agree", inService, 5, ["to_be_confirmed", "to_be_confirmed", "step"]],
  ["takes the same sample for no confirmation", inService, 5, Array(10).fill("to_be_confirmed"), atOnce],
  ["steps at once when a person asks", inService, 5, ["step"], {}, { isRequested: true }],
  ["steps only if allowed", inService, 5, Array(10).fill("to_be_confirmed"), {}, { isStepAllowed: false }],
  ["refuses what lies beyond the panic threshold", inService, -1_001, Array(10).fill("refuse")],
  ["refuses it to a person as well", inService, -2_000, ["refuse"], {}, { isRequested: true }],
  ["does it when forced", inService, -2_000, ["step"], {}, { isForced: true }],
  ["steps after a pause with three", inService, 2_000, [...Array(4).fill("refuse"), "step"], { agreeing: 3 }],
  ["does not when two agree", inService, 2_000, Array(10).fill("refuse"), { agreeing: 2 }],
  ["does not when one contradicts", inService, 2_000, Array(10).fill("refuse"), { disagreeing: 1 }],
  ["does nothing with what it has seen", inService, 0.001, ["slew", "nothing_new"], atOnce],
];

describe("the decision on a measurement", () => {
  for (const [what, state, offsetSeconds, decided, more, rules] of rows)
    it(what, () => {
      const actions = polls(state, decided.length, offsetSeconds, more, rules);
      const found = actions.map((action) => (action.kind === "none" ? action.why : action.kind));
      assert.deepEqual(found, decided);
    });

  it("trims by 10 ppm at most and never beyond what the kernel can", () => {
    for (const [storedPpm, most] of [
      [null, 10],
      [499, 500],
    ] as const) {
      const measurement = measured(0.002, { noiseSeconds: 0.001 });
      const { action } = discipline(inService, measurement, usualRules, storedPpm);
      assert.ok(action.kind === "slew" && action.seconds === 0, "it was slewed");
      assert.ok(Math.abs(action.frequencyPpm) <= most, `${action.frequencyPpm} ppm`);
    }
  });
});
