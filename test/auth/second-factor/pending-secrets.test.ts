import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPendingSecrets } from "../../../src/auth/second-factor/enrolment.ts";

describe("a secret that is not enabled yet", () => {
  it("is kept for ten minutes of monotonic time", async () => {
    const clock = { now: 100 };
    const pending = createPendingSecrets(() => clock.now);
    assert.equal(pending.find("ana"), undefined);
    const secret = await pending.open("ana");
    assert.match(secret, /^[A-Z2-7]{32}$/);
    clock.now += 599.9;
    assert.equal(pending.find("ana"), secret);
    clock.now += 0.1;
    assert.equal(pending.find("ana"), undefined);
  });
  it("is replaced when its user begins again, and belongs to no other user", async () => {
    const pending = createPendingSecrets(() => 100);
    const first = await pending.open("ana");
    const second = await pending.open("ana");
    assert.notEqual(first, second);
    assert.deepEqual([pending.find("ana"), pending.find("bob")], [second, undefined]);
  });
  it("dies when it has served", async () => {
    const pending = createPendingSecrets(() => 100);
    await pending.open("ana");
    pending.forget("ana");
    assert.equal(pending.find("ana"), undefined);
  });
});
