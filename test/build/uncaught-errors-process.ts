import assert from "node:assert/strict";
import { executionAsyncId } from "node:async_hooks";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { followTestsOnly } from "../../scripts/test-runner/current-test.ts";

followTestsOnly();

const hang = () => new Promise<never>(() => undefined);

describe("outer", () => {
  it("follows no promise", async () => {
    await delay(1);
    assert.equal(executionAsyncId(), 0, "a number that only a promise that is followed has");
  });
  it("hangs, and a timer throws", { timeout: 60_000 }, () => {
    setTimeout(() => {
      throw new Error("of a timer");
    });
    return hang();
  });
  it("hangs, and a promise is rejected", { timeout: 60_000 }, () => {
    void delay(1).then(() => {
      throw new Error("of a promise");
    });
    return hang();
  });
  describe("inner", () => {
    it("is well", () => undefined);
  });
});
