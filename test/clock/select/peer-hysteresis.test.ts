import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextPeer, noPeer } from "../../../src/clock/select/peer-hysteresis.ts";

/** The system peer after each of these selections; survivors are best first. */
function peersAfter(...selections: string[][]): (string | null)[] {
  let state = noPeer;
  return selections.map((survivors) => {
    state = nextPeer(state, survivors);
    return state.peer;
  });
}

describe("the system peer", () => {
  it("is the best survivor at first", () => {
    assert.deepEqual(peersAfter(["a", "b"]), ["a"]);
  });

  it("changes when another one was the best in three selections in a row", () => {
    assert.deepEqual(peersAfter(["a", "b"], ["b", "a"], ["b", "a"], ["b", "a"]), ["a", "a", "a", "b"]);
  });

  it("stays when it was the best in between", () => {
    const turns = [
      ["a", "b"],
      ["b", "a"],
      ["b", "a"],
      ["a", "b"],
      ["b", "a"],
      ["b", "a"],
    ];
    assert.deepEqual(peersAfter(...turns), ["a", "a", "a", "a", "a", "a"]);
  });

  it("stays while others take turns in being better", () => {
    const turns = [
      ["a", "b", "c"],
      ["b", "c", "a"],
      ["b", "c", "a"],
      ["c", "b", "a"],
      ["b", "c", "a"],
    ];
    assert.deepEqual(peersAfter(...turns), ["a", "a", "a", "a", "a"]);
  });

  it("is given up at once when it is no survivor", () => {
    assert.deepEqual(peersAfter(["a", "b"], ["b"]), ["a", "b"]);
  });

  it("is none without survivors", () => {
    assert.deepEqual(peersAfter(["a"], []), ["a", null]);
  });
});
