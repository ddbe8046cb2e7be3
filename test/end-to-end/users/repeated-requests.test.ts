import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminPassword, outcome, stepUp } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";
import { keptSeconds } from "../../../src/http/kept-answers.ts";

describe("a request for an API token that is sent again with its Idempotency-Key", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));

  const create = ({ token }: SignedIn, key?: string, more: object = {}) =>
    agent.call("POST", "/api/tokens", {
      ...{ token, body: { name: "monitoring", scopes: ["system:read"], ...more } },
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
    });
  const count = async (): Promise<number> => (await agent.read("/api/tokens")).total;

  it("gets the first answer, also at the same moment, and makes no second token", async () => {
    const [first, second] = await Promise.all([create(admin, "key-1"), create(admin, "key-1")]);
    const third = await create(admin, "key-1");
    assert.equal(first.status, 201, first.text);
    assert.deepEqual([second.text, third.text], [first.text, first.text]);
    assert.equal(third.headers.location, first.headers.location);
    assert.deepEqual([await count(), (await agent.read("/api/events?type=token.created")).total], [1, 1]);
  });

  it("is another one with another key, without a key, by another account, and where the first was refused", async () => {
    const before = await count();
    for (const key of ["key-2", undefined, undefined]) assert.equal((await create(admin, key)).status, 201);
    assert.equal((await create(operator, "key-2")).json.username, "olga");
    assert.equal((await create(admin, "key-3", { user_id: `usr_${"0".repeat(32)}` })).status, 403);
    assert.equal((await create(admin, "key-3")).status, 201);
    assert.equal(await count(), before + 5);
  });

  it("is refused with another body, and with a key that is too short or too long", async () => {
    const { status, json } = await create(admin, "key-1", { name: "other" });
    assert.deepEqual([status, json.code], [400, "validation_failed"]);
    assert.match(json.detail, /^The Idempotency-Key was used for another request/);
    for (const key of ["", "x".repeat(256)])
      assert.equal(await outcome(create(admin, key)), "400 validation_failed", `${key.length}`);
    assert.equal((await create(admin, "x".repeat(255))).status, 201);
  });

  it("needs the same rights as the first one, and is a new one after five minutes", async () => {
    const before = await count();
    time.pass(Math.max(stepUpSeconds, keptSeconds));
    assert.equal(await outcome(create(admin, "key-1")), "401 step_up_required");
    await stepUp(agent.call, admin.token, adminPassword);
    assert.equal((await create(admin, "key-1")).status, 201);
    assert.equal(await count(), before + 1);
  });
});
