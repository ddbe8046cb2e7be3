import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTimedTable } from "../../src/accounts/timed-table.ts";

function tableOf(most: number) {
  const clock = { now: 0 };
  const table = createTimedTable<number>({ seconds: 300, uptime: () => clock.now, most });
  return { clock, ...table };
}

describe("a full table", () => {
  it("loses the oldest entry of the owner who has the most, also where that is the newcomer", () => {
    const { put, get } = tableOf(4);
    put("a1", 1, "a");
    put("b1", 1, "b");
    put("b2", 2, "b");
    put("c1", 1, "c");
    put("c2", 2, "c");
    assert.deepEqual(["a1", "b1", "b2", "c1", "c2"].map(get), [1, undefined, 2, 1, 2]);
    put("c3", 3, "c");
    assert.deepEqual(["a1", "b2", "c1", "c2", "c3"].map(get), [1, 2, undefined, 2, 3]);
  });
  it("loses what is over before anything else, and nothing for a key that it has", () => {
    const { clock, put, get } = tableOf(2);
    put("a1", 1, "a");
    clock.now = 299;
    put("b1", 1, "b");
    put("b1", 2, "b");
    assert.deepEqual(["a1", "b1"].map(get), [1, 2]);
    clock.now = 300;
    put("b2", 3, "b");
    assert.deepEqual(["a1", "b1", "b2"].map(get), [undefined, 2, 3]);
  });
});
