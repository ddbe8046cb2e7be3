import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { atEnd } from "../../../lab/basics/ending.ts";
import { comes, comesToRest, fingerprints, stopTime } from "../../../lab/state/state-directory.ts";
import type { Counter } from "../../../lab/state/store-counter.ts";
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

  it("rejects the change that throws with what it threw, and no other", async (test) => {
    const { directory, document } = await openCounter(test);
    const refusal = new Error("not this one");
    const refusing = () => {
      throw refusal;
    };
    const results = await Promise.allSettled(
      [plusOne, refusing, plusOne].map((change) => document.update(change)),
    );
    const found = results.map((result) => (result.status === "rejected" ? result.reason : result.value));
    assert.deepEqual(found, [{ counter: 1 }, refusal, { counter: 2 }]);
    assert.equal(await counterOn(directory), 2);
  });

  it("gives each change the value that it has made, also where a later one of the same write undoes it", async (test) => {
    const { document } = await openCounter(test);
    const changes = [plusOne, (same: Counter) => same, () => ({ counter: 0 })];
    const values = await Promise.all(changes.map((change) => document.update(change)));
    assert.deepEqual(values, [{ counter: 1 }, { counter: 1 }, { counter: 0 }]);
  });

  for (const [what, value] of [
    ["a member of another type", { counter: "3" }],
    ["a value out of range", { counter: -1 }],
    ["a missing member", {}],
  ] as const)
    it(`refuses ${what}, which the next start would not read, and writes nothing`, async (test) => {
      const { directory, document } = await openCounter(test);
      const before = await fingerprints(directory);
      const refused = document.update(() => value as Counter);
      await assert.rejects(refused, { code: "internal_error" });
      assert.deepEqual(await fingerprints(directory), before);
      assert.deepEqual(document.read(), { counter: 0 });
    });

  it("writes nothing when the change returns the same object", async (test) => {
    const { directory, document } = await openCounter(test);
    const before = await fingerprints(directory);
    assert.deepEqual(await document.update((state) => state), { counter: 0 });
    assert.deepEqual(await fingerprints(directory), before);
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

  it("is not lost when it comes during a write that is under way", async (test) => {
    const { directory, document } = await openCounter(test);
    const update = document.update(plusTen);
    await untilTaken();
    document.note(plusOne, 60);
    assert.deepEqual([await update, document.read()], [{ counter: 10 }, { counter: 11 }]);
    assert.equal(await counterOn(directory), 10);
    await document.close();
    assert.equal(await counterOn(directory), 11);
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

  it("is written although its time comes while another write is under way", async (test) => {
    const pass = stopTime(test);
    const { directory, document } = await openCounter(test);
    const update = document.update(plusTen);
    await untilTaken();
    document.note(plusOne, 0);
    // Before the write can end.
    pass(0.001);
    await update;
    await comes("the note is written", async () => (await counterOn(directory)) === 11);
    document.note(plusOne, 0.05);
    pass(0.05);
    await comes("the next note is written", async () => (await counterOn(directory)) === 12);
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
    await document.update(plusOne);
    const before = await printOf(directory);
    const pass = stopTime(test);
    document.note((present) => present, 0);
    pass(1);
    await comesToRest();
    await document.save();
    await document.close();
    assert.equal(await printOf(directory), before);
  });
});
