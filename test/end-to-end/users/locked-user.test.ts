import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("a user who is locked for a while", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  const admin = ofSuite(() => agent.signedInAdmin());

  it("keeps its ETag from reading to reading, and is let in by one rescue, which one event tells of", async () => {
    const { token } = admin;
    const login = (password: string) =>
      agent.call("POST", "/api/auth/login", { body: { username: "ana", password } });
    const path = `/api/users/${(await agent.signedIn("ana", "operator")).id}`;
    for (let tries = 0; tries < 6; tries += 1) await login("not the one at all");
    const { json, headers } = await agent.call("GET", path, { token });
    assert.ok(json.locked, "six wrong passwords did not lock");
    time.pass(3);
    const ifMatch = { "if-match": String(headers.etag) };
    const change = { body: { enabled: false, display_name: "Ana" }, token, headers: ifMatch };
    assert.equal((await agent.call("PUT", path, change)).status, 200);

    const rescued = (await agent.call("POST", `${path}/rescue`, { token })).json;
    assert.deepEqual([rescued.enabled, rescued.locked, rescued.held_in_memory], [true, null, undefined]);
    assert.equal((await login(rescued.initial_password)).status, 200);
    assert.equal((await login(goodPassword)).status, 401);
    const { items } = await agent.read("/api/events?type=user.rescued");
    assert.deepEqual(
      items.map((event: { details: object }) => event.details),
      [{ was_enabled: false, was_locked: true, had_two_factor: false, tokens_ended: 0 }],
    );
  });
});
