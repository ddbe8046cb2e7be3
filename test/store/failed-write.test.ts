import assert from "node:assert/strict";
import { open as openFile, rename } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { comes, stopTime } from "../../lab/state/state-directory.ts";
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

/** Lets fsync(2) of a directory fail as a dying disk does; the returned function mends it. */
async function breakDirectorySync(test: TestContext, directory: string): Promise<() => void> {
  const handle = await openFile(directory, "r");
  const { mock } = test.mock.method(
    Object.getPrototypeOf(handle) as typeof handle,
    "sync",
    async function (this: typeof handle) {
      if ((await this.stat()).isDirectory())
        throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
      await this.datasync();
    },
  );
  await handle.close();
  return () => mock.restore();
}

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
    assert.equal(await counterOn(directory), 1);
    await document.close();
    assert.equal(await counterOn(directory), 1);
  });

  it("keeps a note that was made before it, and writes it when the disk is back", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    document.note(plusOne, 60);
    await takeAway();
    await assert.rejects(document.update(plusTen), unwritable);
    assert.deepEqual(document.read(), { counter: 2 });
    await putBack();
    await document.save();
    assert.equal(await counterOn(directory), 2);
  });

  it("keeps a note that was made during it", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    const update = assert.rejects(document.update(plusTen), unwritable);
    await Promise.resolve();
    await Promise.resolve();
    document.note(plusOne, 60);
    await update;
    assert.deepEqual(document.read(), { counter: 2 });
    await putBack();
    await document.close();
    assert.equal(await counterOn(directory), 2);
  });

  it("is tried again within six seconds, and then there is no trouble any more", async (test) => {
    const pass = stopTime(test);
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    document.note(plusOne, 0.01);
    pass(0.01);
    await comes("the write fails", () => document.trouble() !== null);
    assert.deepEqual(document.read(), { counter: 2 });
    await putBack();
    pass(6);
    await comes("it is written", () => document.trouble() === null);
    assert.equal(await counterOn(directory), 2);
  });
});

describe("a write whose new file is in place, and whose directory the disk would not confirm", () => {
  it("rejects the update, and reads the value on the disk", async (test) => {
    const { document, directory } = await counterAtOne(test);
    const mended = await breakDirectorySync(test, directory);
    await assert.rejects(document.update(plusTen), unwritable);
    assert.equal(await counterOn(directory), 11);
    assert.deepEqual(document.read(), { counter: 11 });
    mended();
    assert.deepEqual(await document.update(plusOne), { counter: 12 });
    assert.equal(await counterOn(directory), 12);
  });

  it("is tried again for a note, until the disk confirms it", async (test) => {
    const { document, directory } = await counterAtOne(test);
    const mended = await breakDirectorySync(test, directory);
    document.note(plusTen, 60);
    await document.save();
    assert.equal(await counterOn(directory), 11);
    assert.match(document.trouble()?.detail ?? "", /counter\.json was replaced, but .* not confirm it/);
    mended();
    await document.save();
    assert.equal(document.trouble(), null);
  });
});
