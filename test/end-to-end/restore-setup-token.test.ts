import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { outcome } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";

const path = "/api/setup/restore";

describe("a backup over the network", () => {
  const agent = ofSuite(() => startAgentInProcess());
  const token = () => ({
    "x-setup-token": readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim(),
  });
  const bytes = { "content-type": "application/octet-stream" };
  const put = (headers: Record<string, string>, local = false) =>
    agent.call("PUT", path, { local, headers: { ...bytes, ...headers }, body: "no backup" });
  const post = (headers: Record<string, string>) =>
    agent.call("POST", path, { headers, body: { passphrase: "any", check: true } });
  const kept = () => join(agent.stateDirectory, ".restore/backup.age");

  it("is neither taken nor opened without the setup token (takeover of a new device)", async () => {
    for (const headers of [{}, { "x-setup-token": "" }, { "x-setup-token": "wrong" }])
      assert.equal(await outcome(put(headers)), "401 setup_token_invalid");
    assert.equal(existsSync(kept()), false);
    const typed = agent.call("PUT", path, { local: true, body: {} });
    assert.equal(await outcome(typed), "415 unsupported_media_type");
    const refused = await outcome(post({ "x-setup-token": "wrong" }));
    assert.match(refused, /setup_token_invalid|too_many_attempts/);
  });

  it("is taken with it, and stays where it does not open", async () => {
    const sent = await put(token());
    assert.deepEqual([sent.status, sent.json], [200, { bytes: 9 }]);
    assert.equal((await post(token())).json.code, "backup_unusable");
    assert.ok(existsSync(kept()));
  });

  /** Sends a backup that never comes to its end; the code of the answer. */
  const dripping = async (): Promise<string | undefined> => {
    const headers = { ...bytes, ...token() };
    const sent = request(`${agent.url}${path}`, { method: "PUT", headers, agent: false });
    sent.on("error", () => undefined);
    const drip = setInterval(() => sent.write("a"), 50);
    try {
      const few = { signal: AbortSignal.timeout(20_000) };
      const [response] = (await once(sent, "response", few)) as [IncomingMessage];
      return JSON.parse(Buffer.concat(await response.toArray()).toString()).code;
    } finally {
      clearInterval(drip);
      sent.destroy();
    }
  };
  const isDripping = () => existsSync(kept()) && readFileSync(kept(), "utf8").startsWith("a");

  it("that is still coming gives way to root's (a place that a slow sender holds)", async () => {
    const slow = dripping();
    await until("it is being read", isDripping);
    assert.deepEqual([(await put({}, true)).status, await slow], [200, "rate_limited"]);
  });

  it("is refused where there is an administrator, also in its midst, with any token (takeover of a device in use)", async () => {
    const headers = token();
    const slow = dripping();
    await until("it is being read", isDripping);
    await agent.signedInAdmin();
    assert.equal(await slow, "setup_already_done");
    for (const ask of [put, post]) assert.equal(await outcome(ask(headers)), "409 setup_already_done");
    assert.equal(existsSync(join(agent.runDirectory, "setup-token")), false);
  });
});
