import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

describe("sessions", () => {
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  let ana: string;
  before(async () => {
    await agent.signedInAdmin();
    const body = { username: "ana", role: "readonly", password: goodPassword };
    ana = (await agent.call("POST", "/api/users", { body, local: true })).json.id;
  });

  const list = (token: string, query = "") => agent.call("GET", `/api/auth/sessions${query}`, { token });
  const end = (token: string, id: string, query = "") =>
    outcome(agent.call("DELETE", `/api/auth/sessions/${id}${query}`, { token }));
  const isIn = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status === 200;

  it("of one's own are listed, the last used first, with the present one marked", async () => {
    const first = await agent.login("ana", goodPassword);
    const second = await agent.login("ana", goodPassword);
    const { items, total } = (await list(second.token)).json;
    const marks = items.map(({ is_current }: { is_current: boolean }) => is_current);
    assert.deepEqual([total, marks], [2, [true, false]]);
    const [{ user_id, address }, { id }] = items;
    assert.deepEqual([user_id, address], [ana, "127.0.0.1"]);
    assert.equal(await end(second.token, id), "204");
    assert.deepEqual([await isIn(first.token), await isIn(second.token)], [false, true]);
    // No user is signed in there, so that the socket needs user_id.
    const onSocket = agent.call("GET", "/api/auth/sessions", { local: true });
    assert.equal(await outcome(onSocket), "400 validation_failed");
  });

  it("of others are an administrator's business, also to end", async () => {
    const { token } = await agent.login("ana", goodPassword);
    const admin = await agent.login(adminName, adminPassword);
    const [{ id: foreign }] = (await list(admin.token)).json.items;
    assert.equal(await outcome(list(token, `?user_id=${admin.id}`)), "403 forbidden");
    assert.equal(await end(token, foreign), "404 not_found");
    assert.equal(await end(token, foreign, `?user_id=${admin.id}`), "403 forbidden");
    assert.equal(await isIn(admin.token), true);
    const [{ id }] = (await list(admin.token, `?user_id=${ana}`)).json.items;
    time.pass(stepUpSeconds);
    assert.equal(await end(admin.token, id, `?user_id=${ana}`), "401 step_up_required");
  });
});
