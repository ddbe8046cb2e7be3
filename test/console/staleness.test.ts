import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { staleAfterClock, staleAfterEvent } from "../../src/console/client/staleness.ts";
import type { Status, TimeSync } from "../../src/contract/types.ts";

describe("what has to be read anew", () => {
  const status = { clock: { state: "synchronised", trust: "trusted" } } as Status;
  const clock = (state: string, trust = "trusted") => ({ state, trust }) as TimeSync;

  it("is the status where the clock's page knows better", () => {
    assert.deepEqual(staleAfterClock(status, clock("faulty")), ["getStatus"]);
    assert.deepEqual(staleAfterClock(status, clock("synchronised", "none")), ["getStatus"]);
    assert.deepEqual(staleAfterClock(status, clock("synchronised")), []);
    assert.deepEqual(staleAfterClock(null, clock("faulty")), []);
  });

  it("is everything after an event of a newer agent", () => {
    assert.equal(staleAfterEvent("newer.event"), "all");
  });
});
