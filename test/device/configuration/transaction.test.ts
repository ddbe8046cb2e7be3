import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { codeFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { watchDisk } from "../../../lab/state/watched-disk.ts";
import {
  keepAsApplied,
  readApplied,
  readTransaction,
  removeTransaction,
  type Transaction,
  transactionPath,
  writeTransaction,
} from "../../../src/device/configuration/transaction.ts";
import { orderOf } from "./virtual-device.ts";

const transaction: Transaction = {
  version: 1,
  order: orderOf({ settings: { device: { name: "edge-7" } } }),
  endSessions: ["usr_1"],
  forget: [{ id: "usr_2", username: "berta" }],
};

/** Watches this directory only: other files of the process may still be at work in theirs. */
function changesIn(directory: string, test: TestContext) {
  const calls = watchDisk(test);
  const isChange = ({ what, path }: (typeof calls)[number]) => what !== "open" && path.startsWith(directory);
  return () => calls.filter(isChange).map(({ what, path }) => `${what} ${path}`);
}

describe("the transaction of a configuration", () => {
  it("is read as it was written, with the root of trust that it awaits", async (test) => {
    const directory = await temporaryDirectory(test);
    assert.equal(await readTransaction(directory), null);
    for (const one of [transaction, { ...transaction, awaits: "0".repeat(64) }]) {
      await writeTransaction(directory, one);
      assert.deepEqual(await readTransaction(directory), one);
    }
    assert.deepEqual(await readdir(directory), [".transaction.json"]);
  });

  it("is gone for good when it is removed: a power cut brings no order back that people have changed since", async (test) => {
    const directory = await temporaryDirectory(test);
    await writeTransaction(directory, transaction);
    const changes = changesIn(directory, test);
    await removeTransaction(directory);
    assert.deepEqual(changes(), [`rm ${transactionPath(directory)}`, `sync ${directory}`]);
    assert.equal(await readTransaction(directory), null);
    await removeTransaction(directory);
  });

  it("becomes the one that was applied last in a single step, and is no order any more", async (test) => {
    const directory = await temporaryDirectory(test);
    assert.equal(await readApplied(directory), null);
    for (const name of ["edge-7", "edge-8"]) {
      const one = { ...transaction, order: orderOf({ settings: { device: { name } } }) };
      await writeTransaction(directory, one);
      const changes = changesIn(directory, test);
      await keepAsApplied(directory);
      assert.match(changes().join(), /^rename [^,]+,sync [^,]+$/);
      assert.deepEqual([await readTransaction(directory), await readApplied(directory)], [null, one]);
    }
  });

  it("is damage where it is of another form, and is never taken for an absent one", async (test) => {
    const directory = await temporaryDirectory(test);
    const written = JSON.stringify(transaction);
    const texts = [
      ...["", "null", "[]", "{}", written.slice(0, -2), `${written}}`],
      JSON.stringify({ ...transaction, version: 2 }),
      JSON.stringify({ ...transaction, order: { ...transaction.order, configuration: { version: 2 } } }),
      JSON.stringify({ ...transaction, order: undefined }),
    ];
    for (const text of texts) {
      await writeFile(transactionPath(directory), text);
      assert.equal(await codeFrom(readTransaction(directory)), "state_damaged", text);
      assert.equal(await readFile(join(directory, ".transaction.json"), "utf8"), text);
    }
  });
});
