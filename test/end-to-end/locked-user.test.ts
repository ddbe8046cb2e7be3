import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { standingTime, startAgentInProcess } from "../agent-in-process.ts";

describe("a user who is locked for a while", () => {
  it("keeps his ETag from reading to reading, so that he can be changed with If-Match", async (test) => {
    const time = standingTime();
    const agent = await startAgentInProcess(time);
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
});
