import assert from "node:assert/strict";
import fs from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { replaced } from "../../../lab/state/watched-disk.ts";
import { isReplaced, writeDurably } from "../../../src/store/files/durable-file.ts";
import { counterOn, openCounter, plusOne } from "../fixture.ts";

/** The next opens for which it is so fail with this code, so many of them. */
function failOpens(test: TestContext, code: string, isMeant: (path: string) => boolean, left = 0) {
  const { own, put } = replaced(test, fs.promises, "open");
  const set = { left };
  put(async (...given) => {
    if (set.left === 0 || !isMeant(String(given[0]))) return own(...given);
    set.left -= 1;
    throw Object.assign(new Error(`${code}: refused`), { code });
  });
  return set;
}

const ofCounter = (path: string) => path.includes("/.counter.json.");

describe("a document's file on a disk that is full", () => {
  /** With a reserve of which only the calls count. */
  async function opened(test: TestContext) {
    const calls: string[] = [];
    const set = { calls, hasSpace: true, isGivenUp: false };
    const reserve = {
      release: async () => calls.push("release") > 0 && set.hasSpace,
      isGivenUp: () => set.isGivenUp,
      refill: async () => {
        calls.push("refill");
        throw new Error("nobody waits for it");
      },
    };
    return { reserve: set, ...(await openCounter(test, { reserve })) };
  }

  it("is written when the reserve has given its space, which is taken again", async (test) => {
    const { reserve, directory, document } = await opened(test);
    assert.deepEqual(reserve.calls, []);
    failOpens(test, "ENOSPC", ofCounter, 1);
    assert.deepEqual(await document.update(plusOne), { counter: 1 });
    assert.equal(await counterOn(directory), 1);
    assert.deepEqual(reserve.calls, ["release"]);
    reserve.isGivenUp = true;
    await document.update(plusOne);
    assert.deepEqual(reserve.calls, ["release", "refill"]);
  });

  it("is not written where the reserve has none, or not enough; the next write refills it", async (test) => {
    const { reserve, directory, document } = await opened(test);
    const failing = failOpens(test, "ENOSPC", ofCounter, 2);
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
    assert.equal(await counterOn(directory), 2);
  });

  it("gives no reserve up where that does not help", async (test) => {
    const { reserve, document } = await opened(test);
    failOpens(test, "EIO", ofCounter, 1);
    await assert.rejects(document.update(plusOne), { code: "storage_unwritable" });
    assert.deepEqual(reserve.calls, []);
  });
});

it("a value that the disk did not take is in no good copy", async (test) => {
  const { directory, document } = await openCounter(test);
  await document.update(plusOne);
  document.note(plusOne, 60);
  await rm(join(directory, "counter.json"));
  // Neither of the two can be moved out of the way.
  for (const name of ["counter.json/held", "counter.json.bad/held"])
    await mkdir(join(directory, name), { recursive: true });
  await document.close();
  assert.ok(!(await readdir(directory)).includes("counter.good.json"));
});

it("a write that the disk does not confirm is called so, with the reason, and is in place", async (test) => {
  const directory = await temporaryDirectory(test);
  failOpens(test, "EIO", (path) => path === directory, 1);
  await assert.rejects(writeDurably(join(directory, "file"), "new"), (error: Error) => {
    assert.equal(isReplaced(error), true);
    assert.equal((error.cause as NodeJS.ErrnoException).code, "EIO");
    assert.match(error.message, /^file was replaced, but/);
    return true;
  });
  assert.deepEqual(await readdir(directory), ["file"]);
});
