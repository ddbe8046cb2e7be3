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
  const token = () => readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim();
  const put = async (headers: Record<string, string>) => {
    const type = { "content-type": "application/octet-stream" };
    const answer = await fetch(`${agent.url}${path}`, {
      ...{ method: "PUT", headers: { ...type, ...headers }, body: "no backup" },
    });
    return { status: answer.status, json: (await answer.json()) as { code?: string; bytes?: number } };
  };
  const post = async (headers: Record<string, string>) => {
    const type = { "content-type": "application/json" };
    const body = JSON.stringify({ passphrase: "any", check: true });
    const answer = await fetch(`${agent.url}${path}`, {
      ...{ method: "POST", headers: { ...type, ...headers }, body },
    });
    return { status: answer.status, json: (await answer.json()) as { code?: string } };
  };
  const kept = () => join(agent.stateDirectory, ".restore/backup.age");
  const isKept = () => existsSync(kept());
  const isDripping = () => isKept() && readFileSync(kept(), "utf8").startsWith("a");

  it("is neither taken nor opened without the setup token (takeover of a new device)", async () => {
    for (const headers of [{}, { "x-setup-token": "" }, { "x-setup-token": "wrong" }]) {
      const sent = await put(headers);
      assert.deepEqual([sent.status, sent.json.code, isKept()], [401, "setup_token_invalid", false]);
    }
    assert.equal(
      (await agent.call("PUT", path, { local: true, body: {} })).json.code,
      "unsupported_media_type",
    );
    const asked = await post({ "x-setup-token": "wrong" });
    assert.match(asked.json.code ?? "", /^(setup_token_invalid|too_many_attempts)$/);
  });

  it("is taken with it, and stays where it does not open", async () => {
    const headers = { "x-setup-token": token() };
    const sent = await put(headers);
    assert.deepEqual([sent.status, sent.json], [200, { bytes: 9 }]);
    assert.equal((await post(headers)).json.code, "backup_unusable");
    assert.ok(isKept());
  });

  /** Sends a backup that never comes to its end; the answer. */
  const dripping = async (): Promise<{ code?: string }> => {
    const headers = { "content-type": "application/octet-stream", "x-setup-token": token() };
    const sent = request(`${agent.url}${path}`, { method: "PUT", headers, agent: false });
    sent.on("error", () => undefined);
    const drip = setInterval(() => sent.write("a"), 50);
    try {
      const few = { signal: AbortSignal.timeout(20_000) };
      const [response] = (await once(sent, "response", few)) as [IncomingMessage];
      return JSON.parse(Buffer.concat(await response.toArray()).toString());
    } finally {
      clearInterval(drip);
      sent.destroy();
    }
  };

  it("that is still coming gives way to root's (a place that a slow sender holds)", async () => {
    const slow = dripping();
    await until("it is being read", isDripping);
    const headers = { "content-type": "application/octet-stream" };
    const { status } = await agent.call("PUT", path, { local: true, body: "of root", headers });
    assert.deepEqual([status, (await slow).code], [200, "rate_limited"]);
  });

  it("is refused where there is an administrator, also in its midst, with any token (takeover of a device in use)", async () => {
    const headers = { "x-setup-token": token() };
    const slow = dripping();
    await until("it is being read", isDripping);
    await agent.signedInAdmin();
    assert.equal((await slow).code, "setup_already_done");
    for (const ask of [put, post]) {
      assert.equal(await outcome(ask(headers)), "409 setup_already_done");
    }
  });
});
