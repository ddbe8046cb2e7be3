import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn } from "../../lab/agents/checked-agent.ts";
import { startProductAgent } from "../../lab/agents/product-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";

describe("the sessions that the product follows", () => {
  const time = standingTime();
  const title = { en: "Pump" };
  const page = { name: "pump", title, url: "http://127.0.0.1:9001", role: "operator" };
  const agent = ofSuite(() =>
    startProductAgent({ sign_in: "http://127.0.0.1:8470", pages: [page] }, { time }),
  );
  let admin: SignedIn;
  let lines: readonly Record<string, unknown>[] = [];
  const ended = () => lines.flatMap(({ ended }) => (typeof ended === "string" ? [ended] : []));
  const headers = { "x-original-method": "GET", "sec-fetch-site": "same-origin" };
  const check = (cookie: string) =>
    agent.call("GET", "/api/product/pages/pump/check", { headers: { ...headers, cookie } });
  /** A person at the page, in a session of its own: as the product knows them. */
  const visit = async ({ token }: SignedIn) => {
    const { json } = await agent.call("POST", "/api/product/pages/pump/enter", { token, body: {} });
    const { search } = new URL(json.location);
    const answer = await agent.call("GET", `/api/product/pages/pump/finish${search}`);
    const cookie = String(answer.headers["set-cookie"]).split(";", 1)[0] ?? "";
    const { status, headers } = await check(cookie);
    assert.equal(status, 204);
    return { session: String(headers["steward-session"]), cookie };
  };
  const root = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text } = await agent.call(method, path, { local: true, ...(body && { body }) });
    assert.ok(status < 300, text);
  };
  const heard = (session: string) => until(`${session} is said`, () => ended().includes(session));
  const loginOf = (name: string) => agent.login(name, goodPassword);
  before(async () => {
    admin = await agent.signedInAdmin();
    const { heard } = await agent.converse({ follow: "sessions" });
    await until("it is taken", () => heard.length === 1);
    lines = heard;
  });

  const ends: readonly (readonly [
    what: string,
    end: (user: SignedIn, name: string, session: string) => Promise<unknown>,
  ])[] = [
    [
      "signed out",
      ({ refreshToken }) => agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } }),
    ],
    [
      "revoked by its user from another",
      async (_, name, session) => {
        const { token } = await loginOf(name);
        return agent.call("DELETE", `/api/auth/sessions/${session}`, { token });
      },
    ],
    ["revoked by an administrator", ({ id }) => root("DELETE", `/api/users/${id}/sessions`)],
    ["of a lower role", ({ id }) => root("PUT", `/api/users/${id}`, { role: "readonly" })],
    ["of a user who is disabled", ({ id }) => root("PUT", `/api/users/${id}`, { enabled: false })],
    ["of a user who is deleted", ({ id }) => root("DELETE", `/api/users/${id}`)],
    ["of a password that was reset", ({ id }) => root("POST", `/api/users/${id}/password-reset`, {})],
    [
      "of a password that its user changes elsewhere",
      async (_, name) => {
        const { token } = await loginOf(name);
        const body = { current_password: goodPassword, new_password: `${goodPassword} again` };
        const { status, text } = await agent.call("PUT", "/api/auth/password", { token, body });
        assert.ok(status < 300, text);
      },
    ],
    [
      "replaced by the newest of ten others",
      async (_, name) => {
        for (let count = 0; count < 10; count += 1) await loginOf(name);
      },
    ],
    [
      "of a token that was used twice",
      async ({ refreshToken }) => {
        const refresh = async (refresh_token: string) =>
          (await agent.call("POST", "/api/auth/refresh", { body: { refresh_token } })).json.refresh_token;
        await refresh(await refresh(refreshToken));
        await refresh(refreshToken);
      },
    ],
    [
      "of a user whom a file of apply disables",
      (_, name) => root("POST", "/api/configuration", { version: 1, users: [{ name, enabled: false }] }),
    ],
  ];
  for (const [index, [what, end]] of ends.entries())
    it(`are said without any time passing: ${what}`, async () => {
      const name = `user-${index}`;
      const user = await agent.signedIn(name, "operator");
      const { session, cookie } = await visit(user);
      assert.equal(ended().includes(session), false);
      await end(user, name, session);
      await heard(session);
      assert.notEqual((await check(cookie)).status, 204);
      assert.equal(ended().filter((one) => one === session).length, 1);
    });

  it("are said where a second factor becomes required, and no longer once it is not", async () => {
    const user = await agent.signedIn("ada", "operator");
    const { session, cookie } = await visit(user);
    const require = (require_2fa: string) => root("PUT", "/api/system", { security: { require_2fa } });
    await require("all");
    await heard(session);
    await require("none");
    assert.equal((await check(cookie)).status, 204);
    await root("PUT", `/api/users/${user.id}`, { enabled: false });
    await until("it is said again", () => ended().filter((one) => one === session).length === 2);
  });

  it("are said within half a minute where time ends them", async () => {
    await root("PUT", "/api/system", { security: { session_idle: "5m" } });
    const { session } = await visit(await agent.signedIn("grace", "operator"));
    time.pass(290);
    const events = async () =>
      (await agent.call("GET", "/api/events?limit=1", { local: true })).json.items[0].seq;
    const last = await events();
    time.pass(30);
    await heard(session);
    assert.equal(await events(), last, "nothing else has happened");
  });

  it("are no others: of people who come, go on, fail or never open the page", async () => {
    const before = ended().length;
    const { session } = await visit(await agent.signedIn("rita", "operator"));
    const stranger = await agent.signedIn("bob", "operator");
    await agent.call("POST", "/api/auth/login", { body: { username: "rita", password: "wrong" } });
    await root("PUT", `/api/users/${stranger.id}`, { role: "admin" });
    await root("DELETE", `/api/users/${stranger.id}`);
    const { id } = await agent.signedIn("eve", "operator");
    await visit(await loginOf("eve"));
    await root("DELETE", `/api/users/${id}`);
    await until("the last is said", () => ended().length > before);
    assert.equal(ended().length, before + 1);
    assert.equal(ended().includes(session), false);
    assert.ok(admin.id);
  });
});
