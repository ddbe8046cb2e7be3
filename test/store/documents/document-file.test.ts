import assert from "node:assert/strict";
import fs from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { onDisk, open } from "../../../lab/state/state-directory.ts";
import { type Counter, counterKind } from "../../../lab/state/store-counter.ts";
import { replaced } from "../../../lab/state/watched-disk.ts";
import { isReplaced, writeDurably } from "../../../src/store/files/durable-file.ts";
import type { Reserve } from "../../../src/store/files/reserve.ts";

const plusOne = ({ counter }: Counter): Counter => ({ counter: counter + 1 });

/** A reserve of which only the calls count. */
function countedReserve() {
  const calls: string[] = [];
  const set = { calls, hasSpace: true, isGivenUp: false };
  const reserve: Reserve = {
    release: async () => {
      calls.push("release");
      return set.hasSpace;
    },
    isGivenUp: () => set.isGivenUp,
    refill: async () => {
      calls.push("refill");
      throw new Error("nobody waits for it");
    },
  };
  return Object.assign(set, { reserve });
}

/** The next opens for which it is so fail with this code, so many of them. */
function failOpens(test: TestContext, code: string, isMeant: (path: string) => boolean) {
  const { own, put } = replaced(test, fs.promises, "open");
  const set = { left: 0 };
  put(async (...given) => {
    if (set.left > 0 && isMeant(String(given[0]))) {
      set.left -= 1;
      throw Object.assign(new Error(`${code}: refused`), { code });
    }
    return own(...given);
  });
  return set;
}

const ofCounter = (path: string) => path.includes("/.counter.json.");

describe("a document's file on a disk that is full", () => {
  async function opened(test: TestContext) {
    const reserve = countedReserve();
    const directory = await temporaryDirectory(test);
    const document = await open(directory, counterKind, { reserve: reserve.reserve });
    return { reserve, directory, document, failing: failOpens(test, "ENOSPC", ofCounter) };
  }

  it("is written when the reserve has given its space, which is taken again", async (test) => {
    const { reserve, directory, document, failing } = await opened(test);
    assert.deepEqual(reserve.calls, []);
    failing.left = 1;
    assert.deepEqual(await document.update(plusOne), { counter: 1 });
    assert.equal((await onDisk(directory, "counter.json")).counter, 1);
    assert.deepEqual(reserve.calls, ["release"]);
    reserve.isGivenUp = true;
    await document.update(plusOne);
    assert.deepEqual(reserve.calls, ["release", "refill"]);
    await document.close();
  });

  it("is not written where the reserve has none, or not enough; the next write refills it", async (test) => {
    const { reserve, directory, document, failing } = await opened(test);
    failing.left = 2;
    await assert.rejects(document.update(plusOne), { code: "storage_full" });
    assert.deepEqual([reserve.calls, failing.left], [["release"], 0]);
    reserve.hasSpace = false;
    failing.left = 2;
    await assert.rejects(document.update(plusOne), { code: "storage_full" });
    assert.deepEqual([reserve.calls, failing.left], [["release", "release"], 1], "it was tried again");
    failing.left = 0;
    await document.update(plusOne);
    await document.update(plusOne);
    assert.deepEqual(reserve.calls, ["release", "release", "refill"]);
    assert.equal((await onDisk(directory, "counter.json")).counter, 2);
    await document.close();
  });

  it("gives no reserve up where that does not help", async (test) => {
    const { reserve, document } = await opened(test);
    const failing = failOpens(test, "EIO", ofCounter);
    failing.left = 1;
    await assert.rejects(document.update(plusOne), { code: "storage_unwritable" });
    assert.deepEqual(reserve.calls, []);
    await document.close();
  });
});

it("a value that the disk did not take is in no good copy", async (test) => {
  const directory = await temporaryDirectory(test);
  const document = await open(directory, counterKind);
  await document.update(plusOne);
  document.note(plusOne, 60);
  await rm(join(directory, "counter.json"));
  // Neither of the two can be moved out of the way.
  for (const name of ["counter.json/held", "counter.json.bad/held"])
    await mkdir(join(directory, name), { recursive: true });
  await document.close();
  assert.ok(!(await readdir(directory)).includes("counter.good.json"));
});

describe("a write that the disk does not confirm", () => {
  it("is called so, with the reason, and is in place", async (test) => {
    const directory = await temporaryDirectory(test);
    const failing = failOpens(test, "EIO", (path) => path === directory);
    failing.left = 1;
    await assert.rejects(writeDurably(join(directory, "file"), "new"), (error: Error) => {
      assert.equal(isReplaced(error), true);
      assert.equal((error.cause as NodeJS.ErrnoException).code, "EIO");
      assert.match(error.message, /^file was replaced, but/);
      return true;
    });
    assert.deepEqual(await readdir(directory), ["file"]);
  });
});
