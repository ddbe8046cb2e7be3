import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { documentText } from "../../src/store/document-kind.ts";
import { counterKind } from "../fixtures/store-counter.ts";
import { becomes, fingerprints, onDisk, open, temporaryDirectory } from "./state-directory.ts";

const at = (counter: number) => documentText(counterKind, { counter });

describe("the good copy", () => {
  it("follows a change within three seconds, equal in content, in a file of its own", async (test) => {
    const directory = await temporaryDirectory(test);
    const document = await open(directory, counterKind);
    await document.update(() => ({ counter: 7 }));
    const [file, copy] = [join(directory, "counter.json"), join(directory, "counter.good.json")];
    assert.equal(await becomes(() => isSameText(file, copy), 3), true);
    assert.equal((await onDisk(directory, "counter.good.json")).counter, 7);
    assert.notEqual((await stat(file)).ino, (await stat(copy)).ino);
    assert.equal((await stat(copy)).nlink, 1);
    await document.close();
  });

  it("is written once after a row of changes, not at each of them", async (test) => {
    const directory = await temporaryDirectory(test);
    const document = await open(directory, counterKind);
    const seen = new Set<string | undefined>();
    const look = async () => seen.add((await fingerprints(directory))["counter.good.json"]);
    for (let change = 1; change <= 20; change += 1) {
      await document.update(() => ({ counter: change }));
      await look();
    }
    const copied = async () => {
      await look();
      return isSameText(join(directory, "counter.json"), join(directory, "counter.good.json"));
    };
    assert.equal(await becomes(copied, 3), true);
    // It may have come between the last look and the comparison.
    await look();
    // Before it there is none.
    assert.deepEqual([...seen].length, 2);
    await document.close();
  });

  it("is made at close", async (test) => {
    const directory = await temporaryDirectory(test);
    const document = await open(directory, counterKind);
    await document.update(() => ({ counter: 3 }));
    await document.close();
    assert.equal((await onDisk(directory, "counter.good.json")).counter, 3);
  });

  for (const [what, copy] of [
    ["is behind because the last process was killed", at(4)],
    ["is damaged", "{"],
    ["is missing", null],
  ] as const) {
    it(`is made anew after a start that finds that it ${what}`, async (test) => {
      const directory = await temporaryDirectory(test);
      await writeFile(join(directory, "counter.json"), at(5));
      if (copy !== null) await writeFile(join(directory, "counter.good.json"), copy);
      const document = await open(directory, counterKind);
      const isMade = () => isSameText(join(directory, "counter.json"), join(directory, "counter.good.json"));
      assert.equal(await becomes(isMade, 3), true);
      await document.close();
    });
  }

  it("is not written again after a start that finds it equal", async (test) => {
    const directory = await temporaryDirectory(test);
    await writeFile(join(directory, "counter.json"), at(5));
    await writeFile(join(directory, "counter.good.json"), at(5));
    const before = await fingerprints(directory);
    const document = await open(directory, counterKind);
    const isWritten = async () => JSON.stringify(await fingerprints(directory)) !== JSON.stringify(before);
    assert.equal(await becomes(isWritten, 3), false);
    await document.close();
  });
});

async function isSameText(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => readFile(path, "utf8").catch(() => null)),
  );
  return first !== null && first === second;
}
