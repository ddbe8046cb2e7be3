import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import {
  createLastingRequests,
  type LastingRequests,
  longestHours,
} from "../../../src/http/wire/lasting-requests.ts";

/** A request of the service's own user, and the judgement of it, which may be changed. */
function begun(requests: LastingRequests) {
  const response = new EventEmitter();
  const judgement = { count: 0, refusal: undefined as Error | undefined, answer: Promise.resolve() };
  const requireStill = async () => {
    judgement.count += 1;
    if (judgement.refusal) throw judgement.refusal;
    return judgement.answer;
  };
  const lasting = requests.begin({
    ...{ response: response as ServerResponse, actor: { kind: "local-root" }, requireStill },
  });
  return { response, judgement, ...lasting };
}

/** Lets seconds of the timers pass, each with what follows from it. */
function secondsOf(test: TestContext) {
  test.mock.timers.enable({ apis: ["setInterval"] });
  return async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      test.mock.timers.tick(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}

describe("a request that lasts", () => {
  it("is judged again each second, and ends with the reason for which its caller has lost the right", async (test) => {
    const pass = secondsOf(test);
    const one = begun(createLastingRequests());
    await pass(5);
    assert.deepEqual([one.judgement.count, one.signal.aborted], [5, false]);
    one.judgement.refusal = new StewardError("invalid_token", "gone");
    await pass(1);
    assert.equal(one.signal.reason, one.judgement.refusal);
    await pass(5);
    assert.equal(one.judgement.count, 6);
  });

  it("waits for no other whose judgement hangs", async (test) => {
    const pass = secondsOf(test);
    const requests = createLastingRequests();
    const [hanging, other] = [begun(requests), begun(requests)];
    hanging.judgement.answer = new Promise(() => undefined);
    other.judgement.refusal = new Error("gone");
    await pass(1);
    assert.ok(other.signal.aborted);
  });

  it("ends where it has lasted longer than any may (45 days of a slow sender)", async (test) => {
    const pass = secondsOf(test);
    const one = begun(createLastingRequests(0));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await pass(1);
    assert.ok(one.signal.reason instanceof StewardError);
    assert.equal(one.signal.reason.code, "request_timeout");
    assert.ok(one.signal.reason.message.includes(`${longestHours} hours`));
  });

  it("is not ended any more once all of it has come, or its answer has left", async (test) => {
    const pass = secondsOf(test);
    const requests = createLastingRequests();
    const [whole, answered] = [begun(requests), begun(requests)];
    whole.over();
    answered.response.emit("close");
    for (const { judgement } of [whole, answered]) judgement.refusal = new Error("gone");
    await pass(2);
    for (const { signal, judgement } of [whole, answered])
      assert.deepEqual([signal.aborted, judgement.count], [false, 0]);
  });
});
