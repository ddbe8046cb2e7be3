import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome, stepUp } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";
import { keptSeconds } from "../../../src/http/kept-answers.ts";

const unknownUser = `usr_${"0".repeat(32)}`;

describe("API tokens", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));

  const create = ({ token }: SignedIn) =>
    agent.call("POST", "/api/tokens", { token, body: { name: "fleet", scopes: ["system:read"] } });
  const remove = ({ token }: SignedIn, id: string) => agent.call("DELETE", `/api/tokens/${id}`, { token });
  const list = ({ token }: SignedIn, query = "") => agent.call("GET", `/api/tokens${query}`, { token });
  const idsOf = async (user: SignedIn, query = ""): Promise<string[]> =>
    (await list(user, query)).json.items.map(({ id }: { id: string }) => id);
  const use = async (token: string) =>
    (await agent.call("GET", "/api/system/facts", { token })).json.reason ?? "taken";

  it("with a prefix, 256 random bits, and an end in 90 days", async () => {
    const { json, headers } = await create(operator);
    assert.match(json.token, /^stw_[A-Za-z0-9_-]{43}$/);
    // To the second: the clock is read more than once.
    const seconds = (Date.parse(json.expires_at) - Date.parse(json.created_at)) / 1_000;
    assert.equal(Math.round(seconds), 90 * 86_400);
    assert.equal(headers.location, `/api/tokens/${json.id}`);
    const { user_id, username, scopes, is_expired, last_used_at, last_used_from } = json;
    assert.deepEqual([user_id, username, scopes], [operator.id, "olga", ["system:read"]]);
    assert.deepEqual([is_expired, last_used_at, last_used_from], [false, null, null]);
    const stored = readFileSync(join(agent.stateDirectory, "tokens.json"), "utf8");
    const hash = createHash("sha256").update(json.token).digest("hex");
    assert.deepEqual([stored.includes(json.token), stored.includes(hash)], [false, true], "a hash alone");
    assert.ok(!(await list(operator)).text.includes("stw_"), "a list shows tokens");
  });

  it("are listed to their owner, and to administrators and root all of them or one user's", async () => {
    const { id } = (await create(admin)).json;
    const [own, all] = [await idsOf(operator), await idsOf(admin)];
    assert.deepEqual([own.includes(id), all.includes(id)], [false, true]);
    assert.ok(own.length > 0 && own.every((one) => all.includes(one)));
    for (const user of [operator, admin]) assert.deepEqual(await idsOf(user, `?user_id=${operator.id}`), own);
    assert.deepEqual(await idsOf(admin, `?user_id=${unknownUser}`), []);
    assert.equal((await agent.read("/api/tokens")).total, all.length);
    for (const foreign of [admin.id, unknownUser])
      assert.equal(await outcome(list(operator, `?user_id=${foreign}`)), "403 forbidden", foreign);
  });

  it("are made and deleted by those who gave the password lately, one's own deleted without, and die at once", async () => {
    const plain = await agent.login("olga", goodPassword);
    const chief = await agent.login(adminName, adminPassword);
    const [own, other] = [(await create(plain)).json, (await create(plain)).json];
    time.pass(stepUpSeconds);
    await stepUp(agent.call, admin.token, adminPassword);
    const { total } = await agent.read("/api/tokens");
    assert.equal(await outcome(create(plain)), "401 step_up_required");
    assert.equal(await outcome(remove(chief, own.id)), "401 step_up_required");
    assert.equal((await agent.read("/api/tokens")).total, total, "nothing was made");
    for (const [one, by] of [
      [own, plain],
      [other, admin],
    ] as const) {
      assert.equal(await use(one.token), "taken");
      assert.equal((await remove(by, one.id)).status, 204);
      assert.equal(await use(one.token), "revoked");
    }
    assert.equal(await outcome(remove(operator, own.id)), "404 not_found");
  });

  it("of others are for no user there, and none is deleted by a token", async () => {
    const { id, token } = (await create(admin)).json;
    const [foreign, unknown] = [await remove(operator, id), await remove(operator, `tok_${"0".repeat(32)}`)];
    assert.deepEqual([foreign.status, foreign.json.detail], [404, unknown.json.detail]);
    assert.equal(await outcome(remove({ ...admin, token }, id)), "403 token_not_allowed");
    assert.equal(await use(token), "taken");
  });

  describe("asked for again with the same Idempotency-Key", () => {
    const repeated = ({ token }: SignedIn, key?: string, more: object = {}) =>
      agent.call("POST", "/api/tokens", {
        ...{ token, body: { name: "monitoring", scopes: ["system:read"], ...more } },
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      });
    const count = async (): Promise<number> => (await agent.read("/api/tokens")).total;

    it("gets the first answer, also at the same moment, and makes no second token", async () => {
      const created = async () => (await agent.read("/api/events?type=token.created")).total;
      const [tokens, events] = [await count(), await created()];
      const [first, second] = await Promise.all([repeated(admin, "key-1"), repeated(admin, "key-1")]);
      const third = await repeated(admin, "key-1");
      assert.equal(first.status, 201, first.text);
      assert.deepEqual([second.text, third.text], [first.text, first.text]);
      assert.equal(third.headers.location, first.headers.location);
      assert.deepEqual([await count(), await created()], [tokens + 1, events + 1]);
    });

    it("is another one with another key, without a key, by another account, and where the first was refused", async () => {
      const before = await count();
      for (const key of ["key-2", undefined, undefined])
        assert.equal((await repeated(admin, key)).status, 201);
      await stepUp(agent.call, operator.token, goodPassword);
      assert.equal((await repeated(operator, "key-2")).json.username, "olga");
      assert.equal((await repeated(admin, "key-3", { user_id: `usr_${"0".repeat(32)}` })).status, 403);
      assert.equal((await repeated(admin, "key-3")).status, 201);
      assert.equal(await count(), before + 5);
    });

    it("is refused with another body, and with a key that is too short or too long", async () => {
      const { status, json } = await repeated(admin, "key-1", { name: "other" });
      assert.deepEqual([status, json.code], [400, "validation_failed"]);
      assert.match(json.detail, /^The Idempotency-Key was used for another request/);
      for (const key of ["", "x".repeat(256)])
        assert.equal(await outcome(repeated(admin, key)), "400 validation_failed", `${key.length}`);
      assert.equal((await repeated(admin, "x".repeat(255))).status, 201);
    });

    it("needs the same rights as the first one, and is a new one after five minutes", async () => {
      const before = await count();
      time.pass(Math.max(stepUpSeconds, keptSeconds));
      assert.equal(await outcome(repeated(admin, "key-1")), "401 step_up_required");
      await stepUp(agent.call, admin.token, adminPassword);
      assert.equal((await repeated(admin, "key-1")).status, 201);
      assert.equal(await count(), before + 1);
    });
  });
});
