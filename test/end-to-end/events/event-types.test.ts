import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { type CheckedAgent, goodPassword } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { stepUp } from "../../../lab/agents/running-agent.ts";
import { cookieOf, ownPage } from "../../../lab/agents/set-cookie.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { until } from "../../../lab/basics/until.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../../lab/simulated/time-network.ts";
import { eventTypes } from "../../../src/contract/event-types.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";

/**
 * Types that need a clock that moves or is trusted; the tests of a wrong clock check these. A step, another
 * hand and a panic need a host whose clock is steered: the scenarios in virtual time and the virtual machine show them; a
 * contradiction needs a server with two minds, which the tests of the clock's room have.
 */
const byTheClock = [
  ...["clock.epoch_raised", "codes.locked", "token.tolerated", "clock.stepped", "clock.panicked"],
  ...["clock.contested", "clock.contradicted"],
];

/** No single request asks for these. */
const byItself = ["clock.source_changed"];

describe("the events of an agent", () => {
  let agent: CheckedAgent;
  const time = standingTime();
  const events: AuditEvent[] = [];
  const post = (path: string, token?: string, body: object = {}, method = "POST") =>
    agent.call(method, path, { token, ...(method === "DELETE" ? {} : { body }) });

  const asRoot = (path: string, body: object) => agent.call("POST", path, { local: true, body });

  before(async () => {
    const settings = { servers: [ordinaryServer.address] };
    agent = await startObservingAgent(settings, {}, { time, openClock: time.servedClock() });
    const setup_token = (await readFile(join(agent.runDirectory, "setup-token"), "utf8")).trim();
    await post("/api/setup", undefined, { setup_token, username: "chief", password: goodPassword });
    const chief = await agent.login("chief", goodPassword);
    await stepUp(agent.call, chief.token, goodPassword);
    await post("/api/auth/login", undefined, { username: "chief", password: "not the right password" });
    await agent.call("GET", "/api/users", { token: "bad" });
    await changeUsers(chief.token);
    await useFactors(chief.token);
    const { json } = await post("/api/tokens", chief.token, { name: "fleet", scopes: ["system:read"] });
    await asRoot(`/api/tokens/${json.id}/rotate`, { overlap: "1h" });
    const token_hash = createHash("sha256").update(json.token).digest("hex");
    const renamed = { token_hash, name: "fleets", user: "chief", scopes: ["system:read"] };
    await asRoot("/api/configuration", { version: 1, tokens: [renamed] });
    await post(`/api/tokens/${json.id}`, chief.token, {}, "DELETE");
    await post("/api/system", chief.token, { device: { name: "edge 7" } }, "PUT");
    const receivers = [{ name: "alerts", kind: "webhook", url: "https://alerts.example/", takes: "all" }];
    await post("/api/system", chief.token, { notify: { receivers } }, "PUT");
    await post("/api/notifications/alerts/secret", chief.token, {}, "PUT");
    await post("/api/system", chief.token, { notify: { receivers: [] } }, "PUT");
    await post("/api/system/backup", chief.token, { passphrase: "all that protects it" });
    await useClock(chief.token);
    const passwords = { current_password: goodPassword, new_password: "seven lamps beside canals" };
    await post("/api/auth/password", chief.token, passwords, "PUT");
    await useCookie();
    await reuse(chief.refreshToken);
    const list = await agent.read("/api/events?after=0&limit=200");
    events.push(...list.items);
  });
  after(() => agent.dispose());

  /** Only local root resets the floor; a user may set a clock that is not trusted. */
  const useClock = async (token: string) => {
    const route = "/api/system/time-sync";
    const ask = async (verb: string, body: object) => {
      // A burst waits between its packets.
      const { status, text } = await time.passUntil(post(`${route}/${verb}`, token, body));
      assert.equal(status, 200, text);
    };
    await ask("sync", {});
    const { status } = await agent.call("POST", `${route}/floor-reset`, { local: true });
    assert.equal(status, 200);
    await ask("reselect", {});
    await post("/api/system", token, { time: { mode: "manual" } }, "PUT");
    await until("the clock is by hand", async () => {
      time.pass(1);
      const json = await agent.read(route);
      return json.mode === "manual";
    });
    await ask("sync", { time: new Date(time.wall()).toISOString() });
  };

  const changeUsers = async (token: string) => {
    const ana = await agent.signedIn("ana", "readonly");
    await post(`/api/users/${ana.id}`, token, { role: "operator" }, "PUT");
    await post(`/api/users/${ana.id}/unlock`, token);
    await post(`/api/users/${ana.id}/password-reset`, token);
    await post(`/api/users/${ana.id}/rescue`, token);
    await post(`/api/users/${ana.id}/sessions`, token, {}, "DELETE");
    await post(`/api/users/${ana.id}`, token, {}, "DELETE");
  };

  const useFactors = async (token: string) => {
    const ben = await agent.signedIn("ben", "readonly");
    const { secret } = await enrol(agent.call, { ...ben, password: goodPassword }, time.nowSeconds());
    await post(`/api/users/${ben.id}/2fa/recovery-codes`, ben.token);
    const skewed = codeOf(secret, time.nowSeconds() + 300);
    await post("/api/auth/login", undefined, { username: "ben", password: goodPassword, code: skewed });
    const code = codeOf(secret, time.nowSeconds() + 30);
    await post(`/api/users/${ben.id}/2fa/disable`, ben.token, { password: goodPassword, code });
    await enrol(agent.call, { ...ben, password: goodPassword }, time.nowSeconds());
    await post(`/api/users/${ben.id}/2fa/recover`, token, { reason: "lost" });
    const again = await agent.login("ben", goodPassword);
    await post("/api/auth/logout", undefined, { refresh_token: again.refreshToken });
  };

  /** Sends the cookie of a sign-in without the binding that belongs to it. */
  const useCookie = async () => {
    const body = { username: "chief", password: "seven lamps beside canals", refresh: "cookie" };
    const { name, value } = cookieOf(await post("/api/auth/login", undefined, body));
    const headers = { ...ownPage, cookie: `${name}=${value}` };
    await agent.call("POST", "/api/auth/refresh", { body: {}, headers });
  };

  /** By another program than the one that exchanged it: its own repetition may be of a lost answer. */
  const reuse = async (refresh_token: string) => {
    const headers = { "user-agent": "another program" };
    await post("/api/auth/refresh", undefined, { refresh_token });
    await agent.call("POST", "/api/auth/refresh", { headers, body: { refresh_token } });
  };

  // Those of updates take a repository, those of damage a damaged state, those of the host a machine of its own, those
  // of HTTPS certificates, those of needs two minutes, and a rescue a terminal: update-events.test.ts,
  // store/register.test.ts, the system test of the box, https.test.ts, console/one-truth.test.ts and rescue-token.test.ts
  // look for each of them; a token to resume takes a restored backup: restore.test.ts; a passkey an authenticator:
  // sign-in/passkey.test.ts; a report the product: programs/product.test.ts.
  const elsewhere = (name: string) =>
    byTheClock.includes(name) ||
    /^(update|state|host|host_file|https|need)\.|^(setup\.rescued|token\.resumed|two_factor\.passkey_.*|product\.reported)$/.test(
      name,
    );
  for (const type of Object.keys(eventTypes).filter((name) => !elsewhere(name))) {
    it(`${type} is written down with who, from where, in which request, and its declared details`, () => {
      const event = events.find((one) => one.type === type);
      assert.ok(event, `there is none among ${[...new Set(events.map((one) => one.type))].join(", ")}`);
      checkEvent(event);
      assert.match(event.from, /^(127\.0\.0\.1|local)$/);
      if (!byItself.includes(type)) assert.ok(event.request_id, "it has a request id");
      if (!type.endsWith(".refused")) assert.notEqual(event.actor.kind, "anonymous");
    });
  }

  it("names who set the clock by hand, and what it was before and after; that is no sync besides", () => {
    const event = events.find(({ type }) => type === "clock.set_by_hand");
    assert.equal(event?.actor.name, "chief");
    const { before, after } = event?.details ?? {};
    assert.ok(Math.abs(Date.parse(String(after)) - Date.parse(String(before))) < 5_000, `${before} ${after}`);
    assert.equal(events.filter(({ type }) => type === "clock.sync_requested").length, 1);
  });

  it("names the user whose refresh token was used twice", () => {
    assert.equal(events.find(({ type }) => type === "session.reused")?.subject?.name, "chief");
  });
});
