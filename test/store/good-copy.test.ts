import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { comes, comesToRest, fingerprints, onDisk, open, stopTime } from "../../lab/state/state-directory.ts";
import { counterKind } from "../../lab/state/store-counter.ts";
import { documentText } from "../../src/store/documents/document-kind.ts";

const at = (counter: number) => documentText(counterKind, { counter });

describe("the good copy", () => {
  it("follows a change after two seconds, equal in content, in a file of its own", async (test) => {
    const directory = await temporaryDirectory(test);
    const pass = stopTime(test);
    const document = await open(directory, counterKind);
    await document.update(() => ({ counter: 7 }));
    const [file, copy] = [join(directory, "counter.json"), join(directory, "counter.good.json")];
    pass(1.999);
    await comesToRest();
    assert.equal(await isSameText(file, copy), false);
    pass(0.001);
    await comes("the copy is made", () => isSameText(file, copy));
    assert.equal((await onDisk(directory, "counter.good.json")).counter, 7);
    assert.notEqual((await stat(file)).ino, (await stat(copy)).ino);
    assert.equal((await stat(copy)).nlink, 1);
    await document.close();
  });

  it("is written once after a row of changes, not at each of them", async (test) => {
    const directory = await temporaryDirectory(test);
    const pass = stopTime(test);
    const document = await open(directory, counterKind);
    const seen = new Set<string | undefined>();
    const look = async () => seen.add((await fingerprints(directory))["counter.good.json"]);
    for (let change = 1; change <= 20; change += 1) {
      await document.update(() => ({ counter: change }));
      pass(1);
      await comesToRest();
      await look();
    }
    pass(1);
    const copied = async () => {
      await look();
      return isSameText(join(directory, "counter.json"), join(directory, "counter.good.json"));
    };
    await comes("the copy is made", copied);
    // It may have come between the last look and the comparison.
    await look();
    // Before it there is none.
    assert.deepEqual([...seen].length, 2);
    await document.close();
  });

  for (const [what, copy] of [
    ["is behind because the last process was killed", at(4)],
    ["is damaged", "{"],
    ["is missing", null],
  ] as const)
    it(`is made anew after a start that finds that it ${what}`, async (test) => {
      const directory = await temporaryDirectory(test);
      await writeFile(join(directory, "counter.json"), at(5));
      if (copy !== null) await writeFile(join(directory, "counter.good.json"), copy);
      const pass = stopTime(test);
      const document = await open(directory, counterKind);
      pass(2);
      const isMade = () => isSameText(join(directory, "counter.json"), join(directory, "counter.good.json"));
      await comes("the copy is made", isMade);
      await document.close();
    });

  it("is not written again after a start that finds it equal", async (test) => {
    const directory = await temporaryDirectory(test);
    await writeFile(join(directory, "counter.json"), at(5));
    await writeFile(join(directory, "counter.good.json"), at(5));
    const before = await fingerprints(directory);
    const pass = stopTime(test);
    const document = await open(directory, counterKind);
    pass(3_600);
    await comesToRest();
    assert.deepEqual(await fingerprints(directory), before);
    await document.close();
  });
});

async function isSameText(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => readFile(path, "utf8").catch(() => null)),
  );
  return first !== null && first === second;
}
