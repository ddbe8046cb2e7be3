import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTurns } from "../../../src/journal/logs/turns.ts";

describe("turns", () => {
  it("lets two act at a time, two wait, and refuses the fifth", async () => {
    const inTurn = createTurns({ atOnce: 2, waiting: 2 });
    const ends: (() => void)[] = [];
    let acting = 0;
    let most = 0;
    const act = async () => {
      acting += 1;
      most = Math.max(most, acting);
      await new Promise<void>((resolve) => ends.push(resolve));
      acting -= 1;
    };
    const taken = [inTurn(act), inTurn(act), inTurn(act), inTurn(act)];
    await assert.rejects(inTurn(act), { code: "rate_limited" });
    for (let ended = 0; ended < 4; ended += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      ends.shift()?.();
    }
    await Promise.all(taken);
    assert.deepEqual([most, acting], [2, 0]);
  });

  it("goes on after a failure", async () => {
    const inTurn = createTurns({ atOnce: 1, waiting: 0 });
    await assert.rejects(
      inTurn(() => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await inTurn(async () => "yes"), "yes");
  });
});
