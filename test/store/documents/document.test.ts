import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { atEnd, temporaryDirectory } from "../../../lab/basics/ending.ts";
import {
  comes,
  comesToRest,
  fingerprints,
  onDisk,
  open,
  stopTime,
} from "../../../lab/state/state-directory.ts";
import { type Counter, counterKind } from "../../../lab/state/store-counter.ts";
import type { StewardError } from "../../../src/contract/errors.ts";

const plusOne = ({ counter }: Counter): Counter => ({ counter: counter + 1 });
/** A counter at 0, which is closed at the end. */
async function counter(test: TestContext) {
  const directory = await temporaryDirectory(test);
  const document = await open(directory, counterKind);
  atEnd(test, () => document.close());
  return { directory, document };
}

const counterOn = async (directory: string) => (await onDisk(directory, "counter.json")).counter;

describe("update", () => {
  it("is on the disk when it is acknowledged, and read at once", async (test) => {
    const { directory, document } = await counter(test);
    assert.deepEqual(await document.update(plusOne), { counter: 1 });
    assert.equal(await counterOn(directory), 1);
    assert.deepEqual(document.read(), { counter: 1 });
  });

  it("writes a hundred changes that come together once", async (test) => {
    const { directory, document } = await counter(test);
    const seen = new Set<string>();
    const changes = Array.from({ length: 100 }, async () => {
      await document.update(plusOne);
      seen.add((await fingerprints(directory))["counter.json"] ?? "");
    });
    await Promise.all(changes);
    assert.equal(await counterOn(directory), 100);
    assert.equal(seen.size, 1);
  });

  it("writes what came during a write in one more", async (test) => {
    const { directory, document } = await counter(test);
    const seen = new Set<string>();
    const changed = async () => {
      await document.update(plusOne);
      seen.add((await fingerprints(directory))["counter.json"] ?? "");
    };
    const first = changed();
    await Promise.resolve();
    await Promise.resolve();
    await Promise.all([first, ...Array.from({ length: 20 }, changed)]);
    assert.equal(await counterOn(directory), 21);
    assert.ok(seen.size <= 2, `${seen.size} writes`);
  });

  it("rejects the change that throws with what it threw, and no other", async (test) => {
    const { directory, document } = await counter(test);
    const refusal = new Error("not this one");
    const results = await Promise.allSettled([
      document.update(plusOne),
      document.update(() => {
        throw refusal;
      }),
      document.update(plusOne),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === "rejected" ? result.reason : result.value)),
      [{ counter: 1 }, refusal, { counter: 2 }],
    );
    assert.equal(await counterOn(directory), 2);
  });

  it("gives each change the value that it has made, also where a later one of the same write undoes it", async (test) => {
    const { document } = await counter(test);
    const values = await Promise.all([
      document.update(plusOne),
      document.update((same) => same),
      document.update(() => ({ counter: 0 })),
    ]);
    assert.deepEqual(values, [{ counter: 1 }, { counter: 1 }, { counter: 0 }]);
  });

  for (const [what, value] of [
    ["a member of another type", { counter: "3" }],
    ["a value out of range", { counter: -1 }],
    ["a missing member", {}],
  ] as const) {
    it(`refuses ${what}, which the next start would not read, and writes nothing`, async (test) => {
      const { directory, document } = await counter(test);
      const before = await fingerprints(directory);
      await assert.rejects(
        document.update(() => value as Counter),
        (error: StewardError) => error.code === "internal_error",
      );
      assert.deepEqual(await fingerprints(directory), before);
      assert.deepEqual(document.read(), { counter: 0 });
    });
  }

  it("writes nothing when the change returns the same object", async (test) => {
    const { directory, document } = await counter(test);
    const before = await fingerprints(directory);
    assert.deepEqual(await document.update((state) => state), { counter: 0 });
    assert.deepEqual(await fingerprints(directory), before);
  });

  it("leaves the document readable by its owner alone, whatever the umask", async (test) => {
    const before = process.umask(0);
    atEnd(test, () => process.umask(before));
    const { directory, document } = await counter(test);
    await document.update(plusOne);
    await document.close();
    for (const file of ["counter.json", "counter.good.json"]) {
      assert.equal((await stat(join(directory, file))).mode & 0o777, 0o600, file);
    }
  });
});

describe("note", () => {
  it("is read at once and on the disk within its delay, by one write", async (test) => {
    const pass = stopTime(test);
    const { directory, document } = await counter(test);
    const before = (await fingerprints(directory))["counter.json"];
    for (let count = 0; count < 5; count += 1) document.note(plusOne, 0.3);
    assert.deepEqual(document.read(), { counter: 5 });
    pass(0.299);
    await comesToRest();
    assert.equal((await fingerprints(directory))["counter.json"], before);
    pass(0.001);
    await comes("the notes are written", async () => (await counterOn(directory)) === 5);
  });

  it("is written by the shorter of two delays", async (test) => {
    const pass = stopTime(test);
    const { directory, document } = await counter(test);
    document.note(plusOne, 60);
    document.note(plusOne, 0.05);
    pass(0.05);
    await comes("both are written", async () => (await counterOn(directory)) === 2);
  });

  it("goes to the disk with the next update", async (test) => {
    const { directory, document } = await counter(test);
    document.note(plusOne, 60);
    await document.update(({ counter }) => ({ counter: counter + 10 }));
    assert.equal(await counterOn(directory), 11);
  });

  it("is not lost when it comes during a write that is under way", async (test) => {
    const { directory, document } = await counter(test);
    const update = document.update(({ counter }) => ({ counter: counter + 10 }));
    // Two turns later the value has been taken and the write is waiting for the disk.
    await Promise.resolve();
    await Promise.resolve();
    document.note(plusOne, 60);
    assert.deepEqual([await update, document.read()], [{ counter: 10 }, { counter: 11 }]);
    assert.equal(await counterOn(directory), 10);
    await document.close();
    assert.equal(await counterOn(directory), 11);
  });

  it("keeps no update waiting that comes while it is being written", async (test) => {
    const { directory, document } = await counter(test);
    document.note(plusOne, 60);
    const saving = document.save();
    await Promise.resolve();
    await Promise.resolve();
    const update = document.update(({ counter }) => ({ counter: counter + 10 }));
    const both = Promise.all([saving, update]).then(() => "written");
    assert.equal(await Promise.race([both, delay(30_000, "still waiting", { ref: false })]), "written");
    assert.equal(await counterOn(directory), 11);
    assert.deepEqual(document.read(), { counter: 11 });
  });

  it("is written although its time comes while another write is under way", async (test) => {
    const pass = stopTime(test);
    const { directory, document } = await counter(test);
    const update = document.update(() => ({ counter: 10 }));
    await Promise.resolve();
    await Promise.resolve();
    document.note(plusOne, 0);
    // Before the write can end.
    pass(0.001);
    await update;
    await comes("the note is written", async () => (await counterOn(directory)) === 11);
    document.note(plusOne, 0.05);
    pass(0.05);
    await comes("the next note is written", async () => (await counterOn(directory)) === 12);
  });

  it("counts once when it comes together with an update", async (test) => {
    const { directory, document } = await counter(test);
    const update = document.update(({ counter }) => ({ counter: counter + 10 }));
    document.note(plusOne, 0.05);
    assert.deepEqual(await update, { counter: 11 });
    assert.equal(await counterOn(directory), 11);
    await document.close();
    assert.equal(await counterOn(directory), 11);
  });

  it("counts once when it comes together with an update that changes nothing", async (test) => {
    const { directory, document } = await counter(test);
    const update = document.update((state) => state);
    document.note(plusOne, 60);
    await update;
    assert.deepEqual(await document.update(({ counter }) => ({ counter: counter + 10 })), { counter: 11 });
    await document.close();
    assert.equal(await counterOn(directory), 11);
  });

  it("is none where it changes nothing: nothing is written, at once or later", async (test) => {
    const { directory, document } = await counter(test);
    await document.update(plusOne);
    const before = (await fingerprints(directory))["counter.json"];
    const pass = stopTime(test);
    document.note((present) => present, 0);
    pass(1);
    await comesToRest();
    await document.save();
    await document.save();
    await document.close();
    assert.equal((await fingerprints(directory))["counter.json"], before);
  });

  it("is on the disk when save or close has returned", async (test) => {
    const { directory, document } = await counter(test);
    document.note(plusOne, 60);
    await document.save();
    assert.equal(await counterOn(directory), 1);
    document.note(plusOne, 60);
    await document.close();
    assert.equal(await counterOn(directory), 2);
  });
});
