import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { describe, it } from "node:test";
import { atEnd, type Ending, temporaryDirectory } from "../../lab/basics/ending.ts";

/** The end of a test, as node:test has it: hooks run in the order of registration. */
function endingByHand() {
  const hooks: (() => Promise<void>)[] = [];
  const ending: Ending = { after: (clean) => void hooks.push(clean) };
  const end = async () => {
    for (const hook of hooks) await hook();
  };
  return { ending, end };
}

describe("the end of a test", () => {
  it("comes to an agent before the directory goes that it was started in", async () => {
    const { ending, end } = endingByHand();
    const directory = await temporaryDirectory(ending);
    let isThere = false;
    atEnd(ending, async () => {
      isThere = (await stat(directory)).isDirectory();
    });
    await end();
    assert.equal(isThere, true);
    await assert.rejects(stat(directory), { code: "ENOENT" });
  });

  it("comes to all that was begun, the last first, also where one of them fails", async () => {
    const { ending, end } = endingByHand();
    const ended: string[] = [];
    for (const name of ["first", "second", "third"])
      atEnd(ending, () => {
        ended.push(name);
        if (name === "second") throw new Error("it does not end");
      });
    await assert.rejects(end(), /it does not end/);
    assert.deepEqual(ended, ["third", "second", "first"]);
  });
});
