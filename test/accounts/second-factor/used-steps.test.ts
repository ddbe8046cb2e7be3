import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  hostStart,
  temporaryDirectory,
  temporaryDocument,
  virtualHost,
} from "../../../lab/simulated/virtual-host.ts";
import { createLostCodes } from "../../../src/accounts/second-factor/lost-codes.ts";
import { createUnwrittenCodes } from "../../../src/accounts/second-factor/unwritten-codes.ts";
import {
  createUsedCodes,
  type UsedCodes,
  usedCodesKind,
} from "../../../src/accounts/second-factor/used-codes.ts";
import {
  isUsable,
  noUsedSteps,
  type UsedSteps,
  withBurnt,
  withUsed,
} from "../../../src/accounts/second-factor/used-steps.ts";
import { validatorOf } from "../../../src/store/documents/document-kind.ts";

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

const ana = `usr_${"a".repeat(32)}`;
const bob = `usr_${"b".repeat(32)}`;
const step = 59_840_640;

describe("used codes", () => {
  it("are good once for each user, and used up in memory before anything waits", async () => {
    const usedCodes = createUsedCodes(await temporaryDocument(usedCodesKind));
    const both = await Promise.all([usedCodes.use(ana, [step], 1), usedCodes.use(ana, [step], 1)]);
    assert.deepEqual(both, [step, undefined]);
    assert.equal(await usedCodes.use(bob, [step], 1), step);
  });
  it("of two steps take the first that is good, and leave neither", async () => {
    const usedCodes = createUsedCodes(await temporaryDocument(usedCodesKind));
    await usedCodes.use(ana, [step], 1);
    assert.equal(await usedCodes.use(ana, [step, step + 1], 1), step + 1);
    assert.equal(await usedCodes.use(ana, [step - 1, step + 2, step + 3], 2), step - 1);
    for (const other of [step + 2, step + 3]) {
      assert.equal(await usedCodes.use(ana, [other], 3), undefined, `${other - step}`);
    }
  });
  it("that were burnt are good no more", async () => {
    const usedCodes = createUsedCodes(await temporaryDocument(usedCodesKind));
    await usedCodes.burn(ana, [step + 5, step + 6]);
    assert.equal(await usedCodes.use(ana, [step + 5], 1), undefined);
    assert.equal(await usedCodes.use(ana, [step + 4], 1), step + 4);
  });
  it("are on the disk before the use is acknowledged", async () => {
    const directory = await temporaryDirectory();
    const document = await temporaryDocument(usedCodesKind, directory);
    await createUsedCodes(document).use(ana, [step], 7);
    const { users } = JSON.parse(await readFile(join(directory, "used-codes.json"), "utf8"));
    assert.deepEqual(users, [{ user_id: ana, used: { steps: [step], highest: step, epoch: 7 } }]);
  });
  it("are forgotten with the secret, and other users' are not", async () => {
    const usedCodes = createUsedCodes(await temporaryDocument(usedCodesKind));
    await usedCodes.use(ana, [step], 1);
    await usedCodes.use(bob, [step], 1);
    usedCodes.forget(ana);
    const found = [await usedCodes.use(ana, [step], 1), await usedCodes.use(bob, [step], 1)];
    assert.deepEqual(found, [step, undefined]);
  });
});

describe("codes that were used and the disk has not taken", () => {
  const full = { code: "storage_full" } as never;
  const device = async () => {
    const path = join(await temporaryDirectory(), "unwritten-codes");
    let failure: ReturnType<Parameters<typeof createUnwrittenCodes>[1]["failure"]> = null;
    const start = () => createUnwrittenCodes(path, { failure: () => failure });
    const used = createUsedCodes(await temporaryDocument(usedCodesKind));
    const isThere = () => existsSync(path);
    return { start, used, isThere, fail: () => (failure = full), mend: () => (failure = null) };
  };

  it("are remembered from the first to the moment at which all are written", async () => {
    const { start, used, isThere, fail, mend } = await device();
    const unwritten = start();
    const watched = unwritten.watching(used);
    assert.equal(await watched.use(ana, [step], 1), step);
    assert.deepEqual([unwritten.wereLeft(), isThere()], [false, false], "the disk has taken it");
    fail();
    assert.equal(await watched.use(ana, [step], 1), undefined);
    assert.equal(isThere(), false, "it was used before");
    assert.equal(await watched.use(ana, [step + 1], 1), step + 1);
    assert.equal(isThere(), true);
    await unwritten.settle();
    await watched.use(ana, [step + 2], 1);
    assert.deepEqual([isThere(), start().wereLeft()], [true, true]);
    mend();
    await watched.use(ana, [step + 3], 1);
    assert.equal(isThere(), false, "the disk has taken all");
    fail();
    await watched.use(ana, [step + 4], 1);
    assert.equal(isThere(), true, "again");
  });
  it("that an earlier agent has left are remembered until the disk takes them", async () => {
    const { start, used, isThere, fail, mend } = await device();
    fail();
    await start().watching(used).use(ana, [step], 1);
    const next = start();
    await next.settle();
    assert.deepEqual([next.wereLeft(), isThere()], [true, true]);
    mend();
    await next.settle();
    assert.deepEqual([next.wereLeft(), isThere(), start().wereLeft()], [true, false, false]);
  });
});

describe("the loss of the record of used codes", () => {
  /** The step of RFC 6238 that the virtual host begins in. */
  const present = hostStart.getTime() / 1_000 / 30;
  const lost = () => {
    const host = virtualHost();
    const burnt: (readonly [users: readonly string[], steps: readonly number[]])[] = [];
    const burnForAll: UsedCodes["burnForAll"] = async (users, steps) => void burnt.push([users, steps]);
    const rooms = { usedCodes: { burnForAll }, accounts: { withFactor: () => [ana, bob] } } as never;
    return { ...host, burnt, lostCodes: createLostCodes({ ...(rooms as object), ...host } as never) };
  };

  it("makes every code useless that could have been used until now, of every user", async () => {
    const { lostCodes, burnt } = lost();
    await lostCodes.refuse();
    assert.deepEqual(burnt, [
      [
        [ana, bob],
        [present - 1, present, present + 1],
      ],
    ]);
  });
  it("does so again after a step of the clock, for as long as a code lives", async () => {
    const { lostCodes, burnt, pass, step: set } = lost();
    lostCodes.stepped();
    assert.equal(burnt.length, 0, "nothing was lost");
    await lostCodes.refuse();
    pass(90);
    set(-90 - 300);
    lostCodes.stepped();
    assert.deepEqual(burnt[1]?.[1], [present - 11, present - 10, present - 9]);
    pass(1);
    lostCodes.stepped();
    assert.equal(burnt.length, 2);
  });
});

describe("the stored form of used codes", () => {
  const isValid = validatorOf(usedCodesKind);
  it("is that of those that are written, and no other", () => {
    const used = { steps: [step, step + 1], highest: step, epoch: 7 };
    const of = (change: object) => isValid({ users: [{ user_id: ana, used: { ...used, ...change } }] });
    for (const fine of [{}, { highest: null }, { steps: [] }]) assert.equal(of(fine).length, 0);
    const wrong = [{ steps: 7 }, { steps: ["1"] }, { steps: [0.5] }, { highest: "1" }, { epoch: null }];
    for (const change of wrong) assert.notEqual(of(change).length, 0, JSON.stringify(change));
    for (const member of ["steps", "highest", "epoch"] as const)
      assert.notEqual(of({ [member]: undefined }).length, 0, member);
    const broken = [{}, { users: {} }, { users: [7] }, { users: [{ user_id: ana }] }, { users: [{ used }] }];
    for (const one of [
      ...broken,
      { users: [{ user_id: "ana", used }] },
      { users: [{ user_id: ana, used: 7 }] },
    ])
      assert.notEqual(isValid(one).length, 0, JSON.stringify(one));
  });
});
