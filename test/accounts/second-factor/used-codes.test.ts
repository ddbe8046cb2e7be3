import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
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
import { validatorOf } from "../../../src/store/documents/document-kind.ts";

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
