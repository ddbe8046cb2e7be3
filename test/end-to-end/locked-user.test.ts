import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startAgentInProcess } from "../agent-in-process.ts";

describe("a user who is locked for a while", () => {
  it("keeps his ETag from reading to reading, so that he can be changed with If-Match", async (test) => {
    const agent = await startAgentInProcess();
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
    const tags = new Set<unknown>();
    for (let times = 0; times < 5; times += 1) {
      tags.add((await agent.call("GET", path, { token })).headers.etag);
      await delay(30);
    }
    // The second that it ends at may round up or down once in a thousand readings, which are two tags then.
    assert.ok(tags.size <= 2, `${tags.size} tags of one state`);
    let status = 412;
    for (let tries = 0; tries < 2 && status === 412; tries += 1) {
      const etag = (await agent.call("GET", path, { token })).headers.etag;
      const change = { body: { display_name: "Ana" }, token, headers: { "if-match": String(etag) } };
      ({ status } = await agent.call("PUT", path, change));
    }
    assert.equal(status, 200);
  });
});
