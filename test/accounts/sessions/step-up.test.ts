import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createStepUps } from "../../../src/accounts/sessions/step-up.ts";

describe("a step-up", () => {
  it("is good for five minutes of monotonic time, of the session that gave the password", () => {
    const clock = { now: 1_000 };
    const stepUps = createStepUps(() => clock.now);
    assert.equal(stepUps.isGranted("ses_a"), false);
    stepUps.grant("ses_a");
    assert.deepEqual([stepUps.isGranted("ses_a"), stepUps.isGranted("ses_b")], [true, false]);
    clock.now += 299.9;
    assert.equal(stepUps.isGranted("ses_a"), true);
    clock.now += 0.1;
    assert.equal(stepUps.isGranted("ses_a"), false);
  });
});
