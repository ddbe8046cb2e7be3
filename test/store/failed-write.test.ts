import assert from "node:assert/strict";
import { open as openFile, rename } from "node:fs/promises";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { comes, onDisk, open, stopTime } from "../../lab/state/state-directory.ts";
import { type Counter, counterKind } from "../../lab/state/store-counter.ts";
import type { StewardError } from "../../src/contract/errors.ts";
import type { Document } from "../../src/store/documents/document.ts";

const plusOne = ({ counter }: Counter): Counter => ({ counter: counter + 1 });
const plusTen = ({ counter }: Counter): Counter => ({ counter: counter + 10 });
const counterOn = async (directory: string) => (await onDisk(directory, "counter.json")).counter;
const isUnwritable = (error: StewardError): boolean => error.code === "storage_unwritable";

describe("a write that fails", () => {
  it("rejects the update and leaves the value in memory and on the disk", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    await assert.rejects(document.update(plusTen), isUnwritable);
    assert.deepEqual(document.read(), { counter: 1 });
    await putBack();
    assert.equal(await counterOn(directory), 1);
    await document.close();
    assert.equal(await counterOn(directory), 1);
  });

  it("names the document, the system's reason and the directory to look at", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    await assert.rejects(document.update(plusTen), ({ message }: Error) => {
      assert.match(message, /^counter\.json .*ENOENT.*not changed/);
      assert.equal(message.includes(directory), true);
      return true;
    });
    assert.match(document.trouble()?.detail ?? "", /counter\.json cannot be written/);
    const facts = { document: "counter", error: "storage_unwritable" };
    const { code, facts: found } = document.trouble() ?? {};
    assert.deepEqual([code, found], ["document_not_written", facts]);
    await putBack();
    await document.close();
  });

  it("keeps a note that was made before it, and writes it when the disk is back", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    document.note(plusOne, 60);
    await takeAway();
    await assert.rejects(document.update(plusTen), isUnwritable);
    assert.deepEqual(document.read(), { counter: 2 });
    await putBack();
    await document.save();
    assert.equal(await counterOn(directory), 2);
    await document.close();
  });

  it("keeps a note that was made during it", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    const update = assert.rejects(document.update(plusTen), isUnwritable);
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
    await document.close();
  });

  it("keeps the next update from nothing", async (test) => {
    const { document, directory, takeAway, putBack } = await counterAtOne(test);
    await takeAway();
    await assert.rejects(document.update(plusTen), isUnwritable);
    await putBack();
    assert.deepEqual(await document.update(plusOne), { counter: 2 });
    assert.equal(await counterOn(directory), 2);
    assert.equal(document.trouble(), null);
    await document.close();
  });
});

describe("a write whose new file is in place, and whose directory the disk would not confirm", () => {
  it("rejects the update, and reads the value on the disk", async (test) => {
    const { document, directory } = await counterAtOne(test);
    const mended = await breakDirectorySync(test, directory);
    await assert.rejects(document.update(plusTen), isUnwritable);
    assert.equal(await counterOn(directory), 11);
    assert.deepEqual(document.read(), { counter: 11 });
    mended();
    assert.deepEqual(await document.update(plusOne), { counter: 12 });
    assert.equal(await counterOn(directory), 12);
    await document.close();
  });

  it("is tried again for a note, until the disk confirms it", async (test) => {
    const { document, directory } = await counterAtOne(test);
    const mended = await breakDirectorySync(test, directory);
    document.note(plusTen, 60);
    await document.save();
    assert.equal(await counterOn(directory), 11);
    assert.match(
      document.trouble()?.detail ?? "",
      /counter\.json was replaced, but the disk would not confirm it/,
    );
    mended();
    await document.save();
    assert.equal(document.trouble(), null);
    await document.close();
  });
});

/** Lets fsync(2) of a directory fail as a dying disk does; the returned function mends it. */
async function breakDirectorySync(test: TestContext, directory: string): Promise<() => void> {
  const handle = await openFile(directory, "r");
  const { mock } = test.mock.method(
    Object.getPrototypeOf(handle) as typeof handle,
    "sync",
    async function (this: typeof handle) {
      if ((await this.stat()).isDirectory()) {
        throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" });
      }
      await this.datasync();
    },
  );
  await handle.close();
  return () => mock.restore();
}

interface CounterAtOne {
  document: Document<Counter>;
  directory: string;
  /** Moves the directory away under the document: the plainest disk that cannot be written, even for root. */
  takeAway: () => Promise<void>;
  putBack: () => Promise<void>;
}

async function counterAtOne(test: TestContext): Promise<CounterAtOne> {
  const directory = await temporaryDirectory(test);
  const elsewhere = `${await temporaryDirectory(test)}/moved`;
  const document = await open(directory, counterKind);
  await document.update(plusOne);
  return {
    document,
    directory,
    takeAway: () => rename(directory, elsewhere),
    putBack: () => rename(elsewhere, directory),
  };
}
