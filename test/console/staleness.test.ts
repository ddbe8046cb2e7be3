import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  freshSeconds,
  staleAfterClock,
  staleAfterEvent,
  staleAfterLatest,
} from "../../src/console/client/staleness.ts";
import type { History, Status, TimeSync } from "../../src/contract/types.ts";

describe("what has to be read anew", () => {
  const status = { clock: { state: "synchronised", trust: "trusted", authenticated: false } } as Status;
  const clock = (state: string, trust = "trusted", authenticated = false) =>
    ({ state, trust, authenticated }) as TimeSync;

  it("is the status where the clock's page knows better", () => {
    assert.deepEqual(staleAfterClock(status, clock("faulty")), ["getStatus"]);
    assert.deepEqual(staleAfterClock(status, clock("synchronised", "none")), ["getStatus"]);
    assert.deepEqual(staleAfterClock(status, clock("synchronised", "trusted", true)), ["getStatus"]);
    assert.deepEqual(staleAfterClock(status, clock("synchronised")), []);
    assert.deepEqual(staleAfterClock(null, clock("faulty")), []);
  });

  it("is what events have changed while the page was read for the first time", () => {
    const at = (second: number, type = "user.created") => ({
      type,
      time: `2026-11-01T00:00:${10 + second}.000Z`,
    });
    const told = (...latest: readonly unknown[]) =>
      ({ server_time: "2026-11-01T00:00:20.000Z", latest }) as unknown as Status;
    assert.deepEqual(staleAfterLatest(told(at(9), at(2)), 5), staleAfterEvent("user.created"));
    assert.deepEqual(staleAfterLatest(told(at(2)), 5), []);
    assert.deepEqual(staleAfterLatest({ ...told(), latest: null }, 5), []);
    assert.equal(staleAfterLatest(told(at(9), at(8)), 5), "all", "there may be more of them");
  });

  it("is a history once its next step is over", () => {
    const history = (step_seconds: number) => ({ step_seconds }) as History;
    assert.equal(freshSeconds("getHistory", history(300)), 300);
    assert.equal(freshSeconds("getHistory", history(1_800)), 1_800);
    assert.equal(freshSeconds("getHistory", null), null);
  });

  it("is everything after an event of a newer agent", () => {
    assert.equal(staleAfterEvent("newer.event"), "all");
  });
});
