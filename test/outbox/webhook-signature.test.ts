import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeWebhookSecret, webhookKey } from "../../src/outbox/webhook-signature.ts";

describe("the secret of a webhook", () => {
  it("counts without the version that some services put in front of it, and with no other", () => {
    const secret = makeWebhookSecret();
    assert.equal(webhookKey(secret)?.byteLength, 32);
    assert.deepEqual(webhookKey(`v1,${secret}`), webhookKey(secret));
    for (const wrong of [`v2,${secret}`, `v1,v1,${secret}`, `v1a,${secret}`, "v1,whsec_", "v1,"])
      assert.equal(webhookKey(wrong), null, wrong);
  });
});
