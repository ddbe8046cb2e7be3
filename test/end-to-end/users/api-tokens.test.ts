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

const unknownUser = `usr_${"0".repeat(32)}`;

/** To the second: the clock is read more than once. */
const lifeSeconds = (token: { created_at: string; expires_at: string }): number =>
  Math.round((Date.parse(token.expires_at) - Date.parse(token.created_at)) / 1_000);

describe("API tokens", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));

  const create = (user: SignedIn, body: unknown) =>
    agent.call("POST", "/api/tokens", { token: user.token, body });
  const made = async (user: SignedIn, scopes: string[], name = "fleet") => {
    const { status, json, text } = await create(user, { name, scopes });
    assert.equal(status, 201, text);
    return json as { id: string; token: string };
  };
  const remove = (user: SignedIn, id: string) =>
    agent.call("DELETE", `/api/tokens/${id}`, { token: user.token });
  const list = (user: SignedIn, query = "") =>
    agent.call("GET", `/api/tokens${query}`, { token: user.token });
  const idsOf = async (user: SignedIn, query = ""): Promise<string[]> =>
    (await list(user, query)).json.items.map(({ id }: { id: string }) => id);
  const use = (token: string) => agent.call("GET", "/api/system/facts", { token });
  const refusedAs = async (user: SignedIn, body: unknown, expected: [number, string]) => {
    const before = (await list(user)).json.total;
    const { status, json } = await create(user, body);
    assert.deepEqual([status, json.code], expected, JSON.stringify(body));
    assert.equal((await list(user)).json.total, before, "nothing was made");
  };

  /** A sign-in is no step-up any more; these two have given the password again. */
  const minutesLater = async () => {
    time.pass(stepUpSeconds);
    await stepUp(agent.call, admin.token, adminPassword);
    await stepUp(agent.call, operator.token, goodPassword);
  };

  describe("are made", () => {
    it("by users who gave their password lately, at the sign-in or again, and by no others", async () => {
      const plain = await agent.login("olga", goodPassword);
      const body = { name: "at once", scopes: ["logs:read"] };
      assert.equal((await create(plain, body)).status, 201);
      await minutesLater();
      await refusedAs(plain, body, [401, "step_up_required"]);
    });
    it("with a prefix, 256 random bits, and an end in 90 days", async () => {
      const { json, headers } = await create(operator, { name: "fleet", scopes: ["logs:read"] });
      assert.match(json.token, /^stw_[A-Za-z0-9_-]{43}$/);
      assert.equal(lifeSeconds(json), 90 * 86_400);
      assert.equal(headers.location, `/api/tokens/${json.id}`);
      const { user_id, username, scopes, is_expired, last_used_at, last_used_from } = json;
      assert.deepEqual([user_id, username, scopes], [operator.id, "olga", ["logs:read"]]);
      assert.deepEqual([is_expired, last_used_at, last_used_from], [false, null, null]);
    });
    it("and shown this once: only a hash is kept", async () => {
      const { token } = await made(operator, ["logs:read"]);
      const stored = readFileSync(join(agent.stateDirectory, "tokens.json"), "utf8");
      assert.ok(!stored.includes(token), "the token is in tokens.json");
      assert.ok(stored.includes(createHash("sha256").update(token).digest("hex")), "its hash is not");
      assert.ok(!(await list(operator)).text.includes("stw_"), "a list shows tokens");
    });
  });

  describe("are listed", () => {
    it("to their owner: only their own, also when they ask for them by id", async () => {
      const { id } = await made(admin, ["users:read"]);
      const own = await idsOf(operator);
      assert.ok(!own.includes(id), "another's token");
      assert.deepEqual(await idsOf(operator, `?user_id=${operator.id}`), own);
    });
    it("to an administrator and to local root: everybody's, or one user's", async () => {
      const all = await idsOf(admin);
      const own = await idsOf(operator);
      assert.ok(own.length > 0 && own.every((id) => all.includes(id)), "the operator's are among them");
      assert.deepEqual(await idsOf(admin, `?user_id=${operator.id}`), own);
      assert.deepEqual((await list(admin, `?user_id=${unknownUser}`)).json.items, []);
      const json = await agent.read("/api/tokens");
      assert.equal(json.total, (await list(admin)).json.total);
    });
    it("of another user to no one else, whether there is such a user or not", async () => {
      for (const id of [admin.id, unknownUser]) {
        assert.equal(await outcome(list(operator, `?user_id=${id}`)), "403 forbidden", id);
      }
    });
  });

  describe("are deleted", () => {
    const facts = ["system:read"];
    it("by their owner without the password, and die at once", async () => {
      const { id, token } = await made(operator, facts);
      assert.equal((await use(token)).status, 200);
      const plain = await agent.login("olga", goodPassword);
      assert.equal((await remove(plain, id)).status, 204);
      const { status, json } = await use(token);
      assert.deepEqual([status, json.code, json.reason], [401, "invalid_token", "revoked"]);
      assert.equal((await remove(operator, id)).json.code, "not_found");
    });
    it("by an administrator who gave the password again, whosever they are", async () => {
      const { id, token } = await made(operator, facts);
      const plain = await agent.login(adminName, adminPassword);
      await minutesLater();
      assert.equal((await remove(plain, id)).json.code, "step_up_required");
      assert.equal((await use(token)).status, 200);
      assert.equal((await remove(admin, id)).status, 204);
      assert.equal((await use(token)).status, 401);
    });
    it("by no other user: for them there is no such token", async () => {
      const { id, token } = await made(admin, facts);
      const unknown = await remove(operator, `tok_${"0".repeat(32)}`);
      const foreign = await remove(operator, id);
      assert.deepEqual([foreign.status, foreign.json.code], [404, "not_found"]);
      assert.equal(foreign.json.detail, unknown.json.detail);
      assert.equal((await use(token)).status, 200);
    });
    it("never by a token, its own included", async () => {
      const { id, token } = await made(admin, facts);
      assert.equal(
        await outcome(agent.call("DELETE", `/api/tokens/${id}`, { token })),
        "403 token_not_allowed",
      );
    });
  });
});
