import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createUsedCodes, usedCodesKind } from "../../../src/auth/second-factor/used-codes.ts";
import { temporaryDirectory, temporaryDocument } from "../virtual-host.ts";

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
    assert.deepEqual(
      [await usedCodes.use(ana, [step], 1), await usedCodes.use(bob, [step], 1)],
      [step, undefined],
    );
  });
});
