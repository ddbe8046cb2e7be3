import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("a user who is locked for a while", () => {
  it("keeps its ETag from reading to reading, so that it can be changed with If-Match", async (test) => {
    const { agent, time, token, path } = await lockedUser(test);
    const tags = new Set<string>();
    for (let times = 0; times < 5; times += 1) {
      tags.add(String((await agent.call("GET", path, { token })).headers.etag));
      time.pass(3);
    }
    const [etag = ""] = tags;
    assert.deepEqual([...tags], [etag], "more than one tag of one state");
    const change = { body: { display_name: "Ana" }, token, headers: { "if-match": etag } };
    const { status, text } = await agent.call("PUT", path, change);
    assert.equal(status, 200, text);
  });

  it("and disabled is let in by one rescue, which one event tells of", async (test) => {
    const { agent, token, path } = await lockedUser(test);
    await agent.call("PUT", path, { token, body: { enabled: false } });
    const { status, json, text } = await agent.call("POST", `${path}/rescue`, { token });
    assert.equal(status, 200, text);
    assert.deepEqual([json.enabled, json.locked, json.held_in_memory], [true, null, undefined]);
    const body = { username: "ana", password: json.initial_password };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 200);
    const { items } = (await agent.call("GET", "/api/events?type=user.rescued", { token })).json;
    assert.deepEqual(
      items.map((event: { details: object }) => event.details),
      [{ was_enabled: false, was_locked: true, had_two_factor: false, tokens_ended: 0 }],
    );
  });
});

/** Time does not pass here, so that the lock does not end. */
async function lockedUser(test: TestContext) {
  const time = standingTime();
  const agent = await startAgentInProcess({ time });
  test.after(() => agent.dispose());
  const { token } = await agent.signedInAdmin();
  const body = { username: "ana", password: "quiet harbour lamps at noon", role: "operator" };
  const path = `/api/users/${(await agent.call("POST", "/api/users", { token, body })).json.id}`;
  let user = await agent.call("GET", path, { token });
  for (let tries = 0; tries < 12 && user.json.locked === null; tries += 1) {
    const wrong = { username: "ana", password: "not the one at all" };
    await agent.call("POST", "/api/auth/login", { body: wrong });
    user = await agent.call("GET", path, { token });
  }
  assert.ok(user.json.locked, "twelve wrong passwords did not lock");
  return { agent, time, token, path };
}
