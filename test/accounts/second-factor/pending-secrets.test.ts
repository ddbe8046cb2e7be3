import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPendingSecrets } from "../../../src/accounts/second-factor/enrolment.ts";

const secrets = ["A".repeat(32)];

describe("a secret that is not enabled yet", () => {
  it("is kept for ten minutes of monotonic time", () => {
    const clock = { now: 100 };
    const pending = createPendingSecrets(() => clock.now);
    assert.equal(pending.get("ana"), undefined);
    pending.put("ana", secrets);
    clock.now += 599.9;
    assert.equal(pending.get("ana"), secrets);
    clock.now += 0.1;
    assert.equal(pending.get("ana"), undefined);
  });
  it("is replaced when its user begins again, and belongs to no other user", () => {
    const pending = createPendingSecrets(() => 100);
    pending.put("ana", ["another"]);
    pending.put("ana", secrets);
    assert.deepEqual([pending.get("ana"), pending.get("bob")], [secrets, undefined]);
  });
  it("dies when it has served", () => {
    const pending = createPendingSecrets(() => 100);
    pending.put("ana", secrets);
    pending.delete("ana");
    assert.equal(pending.get("ana"), undefined);
  });
});
