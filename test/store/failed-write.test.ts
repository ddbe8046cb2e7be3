import assert from "node:assert/strict";
import fs from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { comes, stopTime } from "../../lab/state/state-directory.ts";
import { replaced } from "../../lab/state/watched-disk.ts";
import { counterOn, openCounter, plusOne, plusTen } from "./fixture.ts";

const unwritable = { code: "storage_unwritable" };

/** At 1. The directory is moved away under the document: the plainest disk that cannot be written, even for root. */
async function counterAtOne(test: TestContext) {
  const { directory, document } = await openCounter(test);
  const elsewhere = `${await temporaryDirectory(test)}/moved`;
  await document.update(plusOne);
  const [takeAway, putBack] = [() => rename(directory, elsewhere), () => rename(elsewhere, directory)];
  return { document, directory, takeAway, putBack };
}

/** So many of the next opens of a path that is meant fail with this code. */
function failOpens(test: TestContext, code: string, isMeant: (path: string) => boolean, left: number) {
  const { own, put } = replaced(test, fs.promises, "open");
  const set = { left };
  put(async (...given) => {
    if (set.left === 0 || !isMeant(String(given[0]))) return own(...given);
    set.left -= 1;
    throw Object.assign(new Error(`${code}: refused`), { code });
  });
  return set;
}

const isOfCounter = (path: string) => path.includes("/.counter.json.");

describe("a write that fails", () => {
  it("rejects the update in words that say where to look, and leaves the value in memory and on the disk", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    const message = new RegExp(`^counter\\.json .*ENOENT.*not changed.*${directory}`, "s");
    await assert.rejects(document.update(plusTen), { ...unwritable, message });
    assert.deepEqual(document.read(), { counter: 1 });
    const { code, facts, detail = "" } = document.trouble() ?? {};
    const expected = { document: "counter", error: "storage_unwritable" };
    assert.deepEqual([code, facts], ["document_not_written", expected]);
    assert.match(detail, /counter\.json cannot be written/);
    await putBack();
    await document.close();
    assert.equal(await counterOn(directory), 1);
  });

  for (const moment of ["before", "during"])
    it(`keeps a note that was made ${moment} it, and writes it when the disk is back`, async (test) => {
      const { document, directory, takeAway, putBack } = await counterAtOne(test);
      if (moment === "before") document.note(plusOne, 60);
      await takeAway();
      const update = assert.rejects(document.update(plusTen), unwritable);
      await Promise.resolve();
      await Promise.resolve();
      if (moment === "during") document.note(plusOne, 60);
      await update;
      assert.deepEqual(document.read(), { counter: 2 });
      await putBack();
      await document.save();
      assert.equal(await counterOn(directory), 2);
    });

  it("is tried again within six seconds, and then there is no trouble any more", async (test) => {
    const pass = stopTime(test);
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    document.note(plusOne, 0.01);
    pass(0.01);
    await comes("the write fails", () => document.trouble() !== null);
    await putBack();
    pass(6);
    await comes("it is written", () => document.trouble() === null);
    assert.equal(await counterOn(directory), 2);
  });

  it("is copied to no good copy", async (test) => {
    const { directory, document } = await counterAtOne(test);
    document.note(plusOne, 60);
    await rm(join(directory, "counter.json"));
    // Neither of the two can be moved out of the way.
    for (const name of ["counter.json/held", "counter.json.bad/held"])
      await mkdir(join(directory, name), { recursive: true });
    await document.close();
    assert.ok(!(await readdir(directory)).includes("counter.good.json"));
  });
});

describe("a write whose new file is in place, and whose directory the disk would not confirm", () => {
  it("rejects the update, and reads the value on the disk", async (test) => {
    const { document, directory } = await counterAtOne(test);
    failOpens(test, "EIO", (path) => path === directory, 1);
    await assert.rejects(document.update(plusTen), unwritable);
    assert.deepEqual([await counterOn(directory), document.read()], [11, { counter: 11 }]);
    assert.deepEqual(await document.update(plusOne), { counter: 12 });
    assert.equal(await counterOn(directory), 12);
  });

  it("is tried again for a note, until the disk confirms it", async (test) => {
    const { document, directory } = await counterAtOne(test);
    failOpens(test, "EIO", (path) => path === directory, 1);
    document.note(plusTen, 60);
    await document.save();
    assert.equal(await counterOn(directory), 11);
    assert.match(document.trouble()?.detail ?? "", /counter\.json was replaced, but .* not confirm it/);
    await document.save();
    assert.equal(document.trouble(), null);
  });
});

describe("a write on a disk that is full", () => {
  /** With a reserve of which only the calls count. */
  async function opened(test: TestContext) {
    const set = { calls: [] as string[], hasSpace: true, isGivenUp: false };
    const reserve = {
      release: async () => set.calls.push("release") > 0 && set.hasSpace,
      isGivenUp: () => set.isGivenUp,
      refill: async () => {
        set.calls.push("refill");
        throw new Error("it is not waited for");
      },
    };
    return { reserve: set, ...(await openCounter(test, { reserve })) };
  }

  it("succeeds when the reserve has given its space, which is taken again", async (test) => {
    const { reserve, directory, document } = await opened(test);
    failOpens(test, "ENOSPC", isOfCounter, 1);
    assert.deepEqual(await document.update(plusOne), { counter: 1 });
    assert.deepEqual([await counterOn(directory), reserve.calls], [1, ["release"]]);
    reserve.isGivenUp = true;
    await document.update(plusOne);
    assert.deepEqual(reserve.calls, ["release", "refill"]);
  });

  it("is tried once more where the reserve had space, and refilled by the next write", async (test) => {
    const { reserve, directory, document } = await opened(test);
    const failing = failOpens(test, "ENOSPC", isOfCounter, 2);
    await assert.rejects(document.update(plusOne), { code: "storage_full" });
    assert.deepEqual([reserve.calls, failing.left], [["release"], 0]);
    reserve.hasSpace = false;
    failing.left = 2;
    await assert.rejects(document.update(plusOne), { code: "storage_full" });
    assert.deepEqual([reserve.calls, failing.left], [["release", "release"], 1]);
    failing.left = 0;
    await document.update(plusOne);
    await document.update(plusOne);
    assert.deepEqual(reserve.calls, ["release", "release", "refill"]);
    assert.equal(await counterOn(directory), 2);
  });

  it("costs no reserve where the disk fails for another reason", async (test) => {
    const { reserve, document } = await opened(test);
    failOpens(test, "EIO", isOfCounter, 1);
    await assert.rejects(document.update(plusOne), unwritable);
    assert.deepEqual(reserve.calls, []);
  });
});
