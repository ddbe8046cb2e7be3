import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, outcome } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { passingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

describe("sessions", () => {
  let anaId: string;
  let admin: string;
  const time = passingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    await agent.signedInAdmin();
    ({ token: admin } = await agent.login(adminName, adminPassword));
    const body = { username: "ana", role: "readonly", password: goodPassword };
    anaId = (await agent.call("POST", "/api/users", { body, local: true })).json.id;
  });

  const list = (token: string, query = "") => agent.call("GET", `/api/auth/sessions${query}`, { token });
  const isIn = async (token: string) => (await agent.call("GET", "/api/auth/me", { token })).status === 200;

  it("of one's own are listed, the last used first, with the present one marked", async () => {
    const first = await agent.login("ana", goodPassword);
    const second = await agent.login("ana", goodPassword);
    const { json } = await list(second.token);
    assert.equal(json.total, 2);
    assert.deepEqual(
      json.items.map((one: { is_current: boolean }) => one.is_current),
      [true, false],
    );
    assert.equal(json.items[0].user_id, anaId);
    assert.equal(json.items[0].address, "127.0.0.1");
    const lifetime = Date.parse(json.items[0].expires_at) - Date.parse(json.items[0].created_at);
    assert.equal(Math.round(lifetime / 1_000), 86_400);
    const end = await agent.call("DELETE", `/api/auth/sessions/${json.items[1].id}`, { token: second.token });
    assert.equal(end.status, 204);
    assert.deepEqual([await isIn(first.token), await isIn(second.token)], [false, true]);
  });

  it("of others are an administrator's business, also to end", async () => {
    const { token } = await agent.login("ana", goodPassword);
    const adminId = (await agent.call("GET", "/api/auth/me", { token: admin })).json.id;
    const adminSession = (await list(admin)).json.items[0].id;
    assert.equal((await list(token, `?user_id=${adminId}`)).status, 403);
    for (const query of ["", `?user_id=${adminId}`]) {
      const path = `/api/auth/sessions/${adminSession}${query}`;
      const { status } = await agent.call("DELETE", path, { token });
      assert.equal(status, query === "" ? 404 : 403, query);
    }
    assert.equal(await isIn(admin), true);
    const late = await agent.login(adminName, adminPassword);
    time.pass(stepUpSeconds);
    const anas = `/api/auth/sessions/${(await list(token)).json.items[0].id}?user_id=${anaId}`;
    assert.equal(await outcome(agent.call("DELETE", anas, { token: late.token })), "401 step_up_required");
    assert.equal((await list(admin, `?user_id=${anaId}`)).json.items[0].user_id, anaId);
  });

  it("on the socket need user_id: no user is signed in there", async () => {
    assert.equal(
      await outcome(agent.call("GET", "/api/auth/sessions", { local: true })),
      "400 validation_failed",
    );
  });
});
