import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextPeer, noPeer } from "../../../src/clock/select/peer-hysteresis.ts";

describe("the system peer", () => {
  // The survivors of each selection, best first, and the peer after each; "-" is none.
  const rows = [
    ["is the best survivor at first", "ab", "a"],
    ["changes when another one was the best in three selections in a row", "ab ba ba ba", "a a a b"],
    ["stays when it was the best in between", "ab ba ba ab ba ba", "a a a a a a"],
    ["stays while others take turns in being better", "abc bca bca cba bca", "a a a a a"],
    ["is given up at once when it is no survivor", "ab b", "a b"],
    ["is none without survivors", "a -", "a -"],
  ] as const;
  for (const [name, selections, peers] of rows)
    it(name, () => {
      let state = noPeer;
      const found = selections.split(" ").map((survivors) => {
        state = nextPeer(state, survivors === "-" ? [] : [...survivors]);
        return state.peer ?? "-";
      });
      assert.equal(found.join(" "), peers);
    });
});
