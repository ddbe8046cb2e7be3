import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { atEnd } from "../../../lab/basics/ending.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { comes, comesToRest, fingerprints, stopTime } from "../../../lab/state/state-directory.ts";
import type { Counter } from "../../../lab/state/store-counter.ts";
import { createDueTimer } from "../../../src/store/files/due-timer.ts";
import { counterOn, openCounter, plusOne, plusTen } from "../fixture.ts";

/** Two turns later the value has been taken and the write is waiting for the disk. */
async function untilTaken(): Promise<void> {
  await Promise.resolve();
  await Promise.resolve();
}

const printOf = async (directory: string) => (await fingerprints(directory))["counter.json"] ?? "";

describe("update", () => {
  for (const [what, together, later, most] of [
    ["a hundred changes that come together once", 100, 0, 1],
    ["what came during a write in one more", 1, 20, 2],
  ] as const)
    it(`writes ${what}`, async (test) => {
      const { directory, document } = await openCounter(test);
      const seen = new Set<string>();
      const changes = (count: number) =>
        Array.from({ length: count }, async () => {
          await document.update(plusOne);
          seen.add(await printOf(directory));
        });
      const first = changes(together);
      await untilTaken();
      await Promise.all([...first, ...changes(later)]);
      assert.equal(await counterOn(directory), together + later);
      assert.ok(seen.size <= most, `${seen.size} writes`);
    });

  it("gives each change the value that it has made, and rejects only the one that throws, with what it threw", async (test) => {
    const { directory, document } = await openCounter(test);
    const refusal = new Error("not this one");
    const refusing = () => {
      throw refusal;
    };
    const changes = [plusOne, refusing, plusOne, (same: Counter) => same, () => ({ counter: 1 })];
    const results = await Promise.allSettled(changes.map((change) => document.update(change)));
    const found = results.map((result) => (result.status === "rejected" ? result.reason : result.value));
    const made = [{ counter: 1 }, refusal, { counter: 2 }, { counter: 2 }, { counter: 1 }];
    assert.deepEqual([found, await counterOn(directory)], [made, 1]);
  });

  it("writes nothing for the same object, and refuses what the next start would not read", async (test) => {
    const { directory, document } = await openCounter(test);
    const before = await fingerprints(directory);
    assert.deepEqual(await document.update((state) => state), { counter: 0 });
    for (const value of [{ counter: "3" }, { counter: -1 }, {}])
      await assert.rejects(
        document.update(() => value as Counter),
        { code: "internal_error" },
      );
    assert.deepEqual([await fingerprints(directory), document.read()], [before, { counter: 0 }]);
  });

  it("leaves the document readable by its owner alone, whatever the umask", async (test) => {
    const before = process.umask(0);
    atEnd(test, () => process.umask(before));
    const { directory, document } = await openCounter(test);
    await document.update(plusOne);
    await document.close();
    for (const file of ["counter.json", "counter.good.json"])
      assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600, file);
  });
});

describe("note", () => {
  it("is read at once and on the disk within its delay, by one write", async (test) => {
    const pass = stopTime(test);
    const { directory, document } = await openCounter(test);
    const before = await printOf(directory);
    for (let count = 0; count < 5; count += 1) document.note(plusOne, 0.3);
    assert.deepEqual(document.read(), { counter: 5 });
    pass(0.299);
    await comesToRest();
    assert.equal(await printOf(directory), before);
    pass(0.001);
    await comes("the notes are written", async () => (await counterOn(directory)) === 5);
  });

  it("is not lost when it comes during a write, whenever its time comes", async (test) => {
    const pass = stopTime(test);
    const { directory, document } = await openCounter(test);
    const update = document.update(plusTen);
    await untilTaken();
    document.note(plusOne, 0);
    // Before the write can end.
    pass(0.001);
    assert.deepEqual([await update, document.read()], [{ counter: 10 }, { counter: 11 }]);
    await comes("the note is written", async () => (await counterOn(directory)) === 11);
    // The directory is written after the file can be read; a change that comes before is taken with the next note.
    await comesToRest();
    const next = document.update(plusTen);
    await untilTaken();
    document.note(plusOne, 60);
    await next;
    assert.equal(await counterOn(directory), 21);
    await document.close();
    assert.equal(await counterOn(directory), 22);
  });

  it("keeps no update waiting that comes while it is being written", async (test) => {
    const { directory, document } = await openCounter(test);
    document.note(plusOne, 60);
    const saving = document.save();
    await untilTaken();
    const both = Promise.all([saving, document.update(plusTen)]).then(() => "written");
    assert.equal(await Promise.race([both, delay(30_000, "still waiting", { ref: false })]), "written");
    assert.deepEqual([await counterOn(directory), document.read()], [11, { counter: 11 }]);
  });

  for (const [what, change, expected] of [
    ["an update", plusTen, 11],
    ["an update that changes nothing", (state: Counter) => state, 1],
  ] as const)
    it(`counts once when it comes together with ${what}`, async (test) => {
      const { directory, document } = await openCounter(test);
      const update = document.update(change);
      document.note(plusOne, 60);
      await update;
      assert.deepEqual(await document.update(plusTen), { counter: expected + 10 });
      await document.close();
      assert.equal(await counterOn(directory), expected + 10);
    });

  it("is none where it changes nothing: nothing is written, at once or later", async (test) => {
    const { directory, document } = await openCounter(test);
    const before = await printOf(directory);
    const pass = stopTime(test);
    document.note((present) => present, 0);
    pass(1);
    await comesToRest();
    await document.close();
    assert.equal(await printOf(directory), before);
  });
});

it("a due timer goes off once, at the earliest of the times that it was asked for", () => {
  const time = createVirtualTime();
  const done: number[] = [];
  const timer = createDueTimer(() => done.push(time.now()), {
    ...{ uptime: () => time.now() + 7, wall: () => 0, timers: time.hostTimers },
  });
  timer.within(60);
  timer.within(5);
  timer.within(30);
  timer.within(5);
  assert.deepEqual([time.dueIn(5), time.dueIn(30), time.dueIn(60)], [1, 0, 0]);
  time.pass(100);
  assert.deepEqual(done, [5]);
  timer.within(10);
  time.pass(100);
  assert.deepEqual(done, [5], "it was not put off since");
  timer.putOff();
  timer.within(10);
  time.pass(10);
  assert.deepEqual(done, [5, 210]);
  timer.putOff();
  timer.within(10);
  timer.putOff();
  time.pass(100);
  assert.equal(done.length, 2);
});
