import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { CheckedAgent, SignedIn } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, type CallOptions, stepUp } from "../../../lab/agents/running-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

const route = "/api/system/time-sync";

/** No server is asked for the time here: refusals come before that. */
describe("who may mend the clock, and with what words", () => {
  let agent: CheckedAgent;
  let admin: SignedIn;
  let operator: SignedIn;
  let reader: SignedIn;
  const apiTokens: Record<string, string> = {};
  const time = standingTime();
  before(async () => {
    agent = await startObservingAgent({ mode: "manual" }, {}, { time });
    admin = await agent.signedInAdmin();
    operator = await agent.signedIn("olga", "operator");
    reader = await agent.signedIn("rita", "readonly");
    for (const scope of ["time:write", "system:read"]) {
      const body = { name: scope.replace(":", "-"), scopes: [scope] };
      apiTokens[scope] = (await agent.call("POST", "/api/tokens", { token: admin.token, body })).json.token;
    }
  });
  after(() => agent.dispose());

  const post = async (verb: string, sent: CallOptions) => {
    const { status, json } = await agent.call("POST", `${route}/${verb}`, sent);
    return [status, json?.code ?? json?.state];
  };
  const now = () => new Date(time.wall()).toISOString();
  const floor = async () => Date.parse((await agent.call("GET", route, { local: true })).json.floor_at);

  it("everybody sees the status, a reader too; a stranger does not", async () => {
    for (const { token } of [admin, operator, reader]) {
      assert.equal((await agent.call("GET", route, { token })).status, 200);
    }
    assert.equal((await agent.call("GET", route, { token: apiTokens["system:read"] })).status, 200);
    assert.equal((await agent.call("GET", route)).status, 401);
  });
  it("a reader mends nothing", async () => {
    for (const verb of ["sync", "reselect"]) {
      assert.deepEqual(await post(verb, { token: reader.token }), [403, "forbidden"]);
    }
  });

  for (const [name, body] of [
    ["force", () => ({ force: true })],
    ["time", () => ({ time: now() })],
  ] as const) {
    it(`${name}: no operator, no API token, no administrator who has not given the password lately`, async () => {
      assert.deepEqual(await post("sync", { token: operator.token, body: body() }), [403, "forbidden"]);
      const token = apiTokens["time:write"];
      assert.deepEqual(await post("sync", { token, body: body() }), [403, "token_not_allowed"]);
      const late = await agent.login(adminName, adminPassword);
      time.pass(stepUpSeconds);
      assert.deepEqual(await post("sync", { token: late.token, body: body() }), [401, "step_up_required"]);
      await stepUp(agent.call, admin.token, adminPassword);
    });
  }
  it("time: an administrator with the password given again, and local root", async () => {
    assert.deepEqual(await post("sync", { token: admin.token, body: { time: now() } }), [200, "manual"]);
    assert.deepEqual(await post("sync", { local: true, body: { time: now() } }), [200, "manual"]);
  });
  it("both together are refused to everybody", async () => {
    const body = { force: true, time: now() };
    for (const sent of [{ token: admin.token }, { local: true }]) {
      assert.deepEqual(await post("sync", { ...sent, body }), [400, "validation_failed"]);
    }
  });
  it("force false is as if it were not given: it takes no administrator", async () => {
    const body = { force: false };
    for (const token of [operator.token, apiTokens["time:write"]]) {
      assert.deepEqual(await post("sync", { token, body }), [409, "time_sync_disabled"]);
    }
  });
  it("the floor is reset by local root only, and by no caller over the network", async () => {
    for (const token of [admin.token, operator.token]) {
      assert.deepEqual(await post("floor-reset", { token }), [403, "forbidden"]);
    }
    assert.deepEqual(await post("floor-reset", { token: apiTokens["time:write"] }), [
      403,
      "token_not_allowed",
    ]);
    assert.deepEqual(await post("floor-reset", {}), [401, "authentication_required"]);
    assert.equal((await post("floor-reset", { local: true }))[0], 200);
  });

  const bodies: Record<string, [CallOptions, number, string]> = {
    "no body": [{}, 409, "time_sync_disabled"],
    "an empty object": [{ body: {} }, 409, "time_sync_disabled"],
    null: [{ body: "null" }, 400, "validation_failed"],
    "a list": [{ body: [] }, 400, "validation_failed"],
    "no JSON": [{ body: "{" }, 400, "malformed_json"],
    "another type": [
      { body: "force=true", headers: { "content-type": "application/x-www-form-urlencoded" } },
      415,
      "unsupported_media_type",
    ],
    "an unknown member": [{ body: { forced: true } }, 400, "unknown_field"],
    "force as text": [{ body: { force: "true" } }, 400, "validation_failed"],
    "time as a number": [{ body: { time: 1_790_000_000 } }, 400, "validation_failed"],
    // Root's bound, which a configuration needs; others have 64 KiB.
    "more than 512 KiB": [{ body: { time: "x".repeat(524_288) } }, 413, "payload_too_large"],
  };
  for (const [name, [sent, status, code]] of Object.entries(bodies)) {
    it(`${name}: ${status} ${code}`, async () => {
      assert.deepEqual(await post("sync", { local: true, ...sent }), [status, code]);
    });
  }
  it("a time that is none as RFC 3339 writes it sets nothing", async () => {
    const before = await floor();
    for (const time of ["", "2026-11-20T14:03:00", "2026-02-30T00:00:00Z"])
      assert.deepEqual(await post("sync", { local: true, body: { time } }), [400, "validation_failed"]);
    assert.equal(await floor(), before);
  });
  it("a time with an offset is the moment it says", async () => {
    const local = new Date(time.wall() + 2 * 3_600_000).toISOString().replace("Z", "+02:00");
    const { json } = await agent.call("POST", `${route}/sync`, { local: true, body: { time: local } });
    assert.ok(Math.abs(Date.parse(json.server_time) - time.wall()) < 50, json.server_time);
  });
  it("a time below the floor or beyond the ceiling is time_implausible", async () => {
    const before = await floor();
    for (const time of [
      "1970-01-01T00:00:00Z",
      new Date(before - 1_000).toISOString(),
      "2099-01-01T00:00:00Z",
    ]) {
      assert.deepEqual(await post("sync", { local: true, body: { time } }), [422, "time_implausible"]);
    }
    const { json } = await agent.call("GET", route, { local: true });
    assert.ok(Math.abs(Date.parse(json.server_time) - time.wall()) < 50, json.server_time);
  });
  it("a time that is set moves what sign-in goes by and not this machine's clock", async () => {
    const [real, here] = [Date.now(), time.wall()];
    const ahead = new Date(here + 3_600_000).toISOString();
    const { json } = await agent.call("POST", `${route}/sync`, { local: true, body: { time: ahead } });
    assert.ok(Math.abs(Date.parse(json.server_time) - here - 3_600_000) < 50, json.server_time);
    assert.deepEqual([json.source.type, json.trust, json.last_step], ["manual", "accepted", null]);
    assert.ok(Math.abs(Date.now() - real) < 60_000, "this machine's clock");
  });
});
