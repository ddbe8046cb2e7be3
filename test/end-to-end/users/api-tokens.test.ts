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
    assert.equal(
      Math.round((Date.parse(json.expires_at) - Date.parse(json.created_at)) / 1_000),
      90 * 86_400,
    );
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
    const [plain, chief] = [
      await agent.login("olga", goodPassword),
      await agent.login(adminName, adminPassword),
    ];
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
});
