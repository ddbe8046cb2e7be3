import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  isUsable,
  noUsedSteps,
  type UsedSteps,
  withBurnt,
  withUsed,
} from "../../../src/accounts/second-factor/used-steps.ts";

/** 20 November 2026, in steps; a year is about 1,051,200 of them. */
const today = 59_840_640;
const year = 1_051_200;

/** Accepted one after the other in one epoch. */
function accepted(steps: readonly number[], epoch = 1, from: UsedSteps = noUsedSteps): UsedSteps {
  return steps.reduce((used, step) => withUsed(used, step, epoch), from);
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

describe("a code that was used", () => {
  it("works no second time", () => {
    assert.equal(isUsable(noUsedSteps, today, 1), true);
    assert.equal(isUsable(accepted([today]), today, 1), false);
  });

  it("takes those before it along, while the clock runs on: a code seen over the shoulder is worth nothing", () => {
    const used = accepted([today]);
    const found = [today - 1, today + 1].map((step) => isUsable(used, step, 1));
    assert.deepEqual(found, [false, true]);
  });

  it("is refused while the clock runs on, even when 64 burnt ones have taken its place", () => {
    const used = withBurnt(accepted([today]), range(today + 1, 64));
    assert.equal(used.steps.includes(today), false);
    assert.equal(isUsable(used, today, 1), false);
  });

  it("never lowers the bar, should two sign-ins be stored the wrong way round", () => {
    assert.equal(accepted([today, today - 1]).highest, today);
  });

  it("of a year ahead bars nothing once the clock was put back and another code was taken", () => {
    const ahead = accepted([today + year]);
    const back = accepted([today], 2, ahead);
    const found = [today - 1, today, today + 1, today + year].map((step) => isUsable(back, step, 2));
    assert.deepEqual(found, [false, false, true, false]);
  });
});

describe("a code that was burnt", () => {
  it("shuts out none before it: a guess at a step ahead must not lock the user out until then", () => {
    const used = withBurnt(accepted([today - 5]), [today + 20]);
    for (const step of range(today - 4, 24)) assert.equal(isUsable(used, step, 1), true, `${step}`);
  });

  it("leaves what was accepted before the clock's step out of the matter", () => {
    const used = withBurnt(accepted([today + year], 1), [today + 3]);
    assert.equal(isUsable(used, today, 2), true);
    assert.equal(isUsable(used, today + year - 1, 1), false);
  });

  it("is not forgotten before its time has gone by, though every step in reach is burnt or used meanwhile", () => {
    const ahead = today + 20;
    let used = withBurnt(noUsedSteps, [ahead]);
    for (let now = today; now <= ahead + 1; now += 1) {
      used = withBurnt(
        used,
        range(now - 20, 41).filter((step) => step !== ahead && !used.steps.includes(step)),
      );
      assert.equal(isUsable(used, ahead, 1), false, `forgotten ${ahead - now} steps early`);
    }
  });
});

/** The clock is put somewhere or runs on, or a code of a step near it comes. */
type Happening = { moveTo: number } | { runOn: number } | { use: number } | { burn: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  // Few places, so that the clock comes back to where codes were used.
  {
    weight: 2,
    arbitrary: fc.record({ moveTo: fc.constantFrom(50, today, today + 3, today + 40, today + year) }),
  },
  { weight: 2, arbitrary: fc.record({ runOn: fc.nat({ max: 3 }) }) },
  { weight: 6, arbitrary: fc.record({ use: fc.integer({ min: -1, max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ burn: fc.integer({ min: -20, max: 20 }) }) },
);

interface World {
  now: number;
  epoch: number;
  used: UsedSteps;
  /** Each code that came and was taken or burnt, in order. */
  spent: number[];
  /** Codes taken, and how many others had been spent since they last were. */
  repeated: { step: number; othersSince: number }[];
  accepted: Map<number, number[]>;
}

function live(world: World, happening: Happening): void {
  if ("moveTo" in happening) {
    world.now = happening.moveTo;
    world.epoch += 1;
  } else if ("runOn" in happening) {
    world.now += happening.runOn;
  } else if ("burn" in happening) {
    const step = world.now + happening.burn;
    world.used = withBurnt(world.used, [step]);
    world.spent.push(step);
  } else {
    take(world, world.now + happening.use);
  }
}

function take(world: World, step: number): void {
  if (!isUsable(world.used, step, world.epoch)) return;
  const before = world.spent.lastIndexOf(step);
  if (before >= 0) {
    world.repeated.push({ step, othersSince: new Set(world.spent.slice(before + 1)).size });
  }
  world.used = withUsed(world.used, step, world.epoch);
  world.spent.push(step);
  world.accepted.set(world.epoch, [...(world.accepted.get(world.epoch) ?? []), step]);
}

function worldAfter(happenings: readonly Happening[]): World {
  const world: World = {
    now: today,
    epoch: 1,
    used: noUsedSteps,
    spent: [],
    repeated: [],
    accepted: new Map(),
  };
  for (const one of happenings) live(world, one);
  return world;
}

describe("whatever the clock does", () => {
  const lives = fc.array(happening, { maxLength: 400, size: "max" });

  it("no code works twice, nor after it was burnt, before 64 others were", () => {
    fc.assert(
      fc.property(lives, (happenings) => {
        const early = worldAfter(happenings).repeated.filter(({ othersSince }) => othersSince < 64);
        assert.deepEqual(early, []);
      }),
      { numRuns: 500 },
    );
  });

  it("codes are taken in rising order while it runs on", () => {
    fc.assert(
      fc.property(lives, (happenings) => {
        for (const steps of worldAfter(happenings).accepted.values()) {
          assert.deepEqual(
            steps,
            [...new Set(steps)].sort((a, b) => a - b),
          );
        }
      }),
    );
  });

  it("an unused step lets its user in after the clock's next step", () => {
    fc.assert(
      fc.property(lives, fc.nat({ max: 2 * today }), (happenings, step) => {
        const { used, spent, epoch } = worldAfter(happenings);
        assert.equal(isUsable(used, step, epoch + 1) || spent.includes(step), true);
      }),
    );
  });

  it("at most 64 steps are stored, each once", () => {
    fc.assert(
      fc.property(lives, (happenings) => {
        const { steps } = worldAfter(happenings).used;
        assert.ok(steps.length <= 64, `${steps.length} steps`);
        assert.equal(new Set(steps).size, steps.length);
      }),
    );
  });
});
