import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { codeOf, enrol } from "../authenticator.ts";
import { type CheckedAgent, goodPassword, startCheckedAgent } from "../http/checked-agent.ts";
import { cookieOf, ownPage } from "../http/set-cookie.ts";
import { type Answer, adminName, adminPassword, type CallOptions } from "../running-agent.ts";

describe("the refresh cookie of a browser", () => {
  let agent: CheckedAgent;
  let name: string;
  const login = (more: object = {}, options: CallOptions = {}): Promise<Answer> =>
    agent.call("POST", "/api/auth/login", {
      body: { username: adminName, password: adminPassword, refresh: "cookie", ...more },
      ...options,
    });
  const freshCookie = async () => cookieOf(await login()).value;
  /** A call to a route of the cookie, from a page of this origin unless `headers` say otherwise. */
  const byCookie = (path: string, cookie: string, headers: Record<string, string> = ownPage) =>
    agent.call("POST", `/api/auth/${path}`, { body: {}, headers: { cookie, ...headers } });
  const isGood = async (value: string): Promise<boolean> => {
    const body = { refresh_token: value };
    return (await agent.call("POST", "/api/auth/refresh", { body })).status === 200;
  };
  before(async () => {
    agent = await startCheckedAgent();
    const { token } = await agent.signedInAdmin();
    const { device_id } = (await agent.call("GET", "/api/version", { token })).json;
    name = `steward-refresh-${device_id.slice(0, 8)}`;
  });
  after(() => agent.dispose());

  it("is named after the device, out of reach of scripts and other sites, and only for /api/auth", async () => {
    const answer = await login();
    const cookie = cookieOf(answer);
    assert.equal(cookie.name, name);
    assert.match(cookie.value, /^str_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(cookie.attributes.sort(), ["HttpOnly", "Path=/api/auth", "SameSite=Strict"]);
    assert.ok(!("refresh_token" in answer.json), "the token is in the body too");
  });

  for (const refresh of ["body", undefined]) {
    it(`is not set with refresh: ${refresh}: the token is in the body`, async () => {
      const { json, headers } = await login({ refresh });
      assert.match(json.refresh_token, /^str_/);
      assert.equal(headers["set-cookie"], undefined);
    });
  }

  it("is not set by a sign-in that fails", async () => {
    const { status, headers } = await login({ password: "wrong but of a likely length" });
    assert.deepEqual([status, headers["set-cookie"]], [401, undefined]);
  });

  it("is rotated by a refresh: the new token is in the cookie alone, and the old one is spent", async () => {
    const old = await freshCookie();
    const answer = await byCookie("refresh", `${name}=${old}`);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!("refresh_token" in answer.json), "the token is in the body too");
    const next = cookieOf(answer);
    assert.notEqual(next.value, old);
    assert.deepEqual(next.attributes.sort(), ["HttpOnly", "Path=/api/auth", "SameSite=Strict"]);
    assert.equal((await agent.call("GET", "/api/auth/me", { token: answer.json.access_token })).status, 200);
    assert.equal((await byCookie("refresh", `${name}=${next.value}`)).status, 200);
    assert.equal((await byCookie("refresh", `${name}=${old}`)).json.code, "invalid_token");
  });

  it("is found among other cookies", async () => {
    const value = await freshCookie();
    const header = `a=b; x${name}=str_no; ${name}=${value};${name}2=str_no`;
    assert.equal((await byCookie("refresh", header)).status, 200);
  });

  it("is ended and cleared by a logout", async () => {
    const value = await freshCookie();
    const answer = await byCookie("logout", `${name}=${value}`);
    assert.equal(answer.status, 204);
    const cleared = cookieOf(answer);
    assert.deepEqual([cleared.name, cleared.value], [name, ""]);
    assert.ok(cleared.attributes.includes("Max-Age=0"), cleared.attributes.join());
    assert.ok(cleared.attributes.includes("Path=/api/auth"), "another path would clear nothing");
    assert.equal(await isGood(value), false);
  });

  for (const value of ["ended", `str_${"A".repeat(43)}`, "x", '"quoted"']) {
    it(`that is no longer good (${value}) is cleared with the 401`, async () => {
      const stale = value === "ended" ? await freshCookie() : value;
      if (value === "ended") await byCookie("logout", `${name}=${stale}`);
      const answer = await byCookie("refresh", `${name}=${stale}`);
      assert.deepEqual([answer.status, answer.json.code], [401, "invalid_token"]);
      const { value: left, attributes } = cookieOf(answer);
      assert.equal(left, "");
      assert.ok(attributes.includes("Max-Age=0"), attributes.join());
    });
  }

  describe("that is not there", () => {
    const headers: Record<string, (value: string) => string> = {
      "without any": () => "a=b",
      "of another device": (value) => `steward-refresh-00000000=${value}`,
      empty: () => `${name}=`,
      "with a blank before its sign": (value) => `${name} =${value}`,
      "of a name in capitals": (value) => `${name.toUpperCase()}=${value}`,
      "twice, of which one was planted": (value) => `${name}=${value}; ${name}=str_planted-by-another-port`,
      "twice alike": (value) => `${name}=${value}; ${name}=${value}`,
    };
    for (const [what, header] of Object.entries(headers)) {
      it(`${what}: 401 authentication_required`, async () => {
        const value = await freshCookie();
        for (const path of ["refresh", "logout"]) {
          const { status, json } = await byCookie(path, header(value));
          assert.deepEqual([status, json.code], [401, "authentication_required"], path);
        }
        assert.ok(await isGood(value), "the session is untouched");
      });
    }
  });

  it("gives way to a token in the body, and stays as it is", async () => {
    const inCookie = await freshCookie();
    const inBody = (await login({ refresh: "body" })).json.refresh_token;
    const headers = { cookie: `${name}=${inCookie}`, ...ownPage };
    const body = { refresh_token: inBody };
    const refreshed = await agent.call("POST", "/api/auth/refresh", { body, headers });
    assert.deepEqual([refreshed.status, refreshed.headers["set-cookie"]], [200, undefined]);
    const next = { refresh_token: refreshed.json.refresh_token };
    const left = await agent.call("POST", "/api/auth/logout", { body: next, headers });
    assert.deepEqual([left.status, left.headers["set-cookie"]], [204, undefined]);
    assert.equal(await isGood(next.refresh_token), false);
    assert.ok(await isGood(inCookie), "the session of the cookie goes on");
  });

  it("opens no other route: not one of them reads it", async () => {
    const headers = { cookie: `${name}=${await freshCookie()}`, ...ownPage };
    for (const path of ["/api/auth/me", "/api/auth/sessions", "/api/users", "/api/system", "/api/tokens"]) {
      const { status, json } = await agent.call("GET", path, { headers });
      assert.deepEqual([status, json.code], [401, "authentication_required"], path);
    }
    const body = { current_password: adminPassword, new_password: goodPassword };
    const change = await agent.call("PUT", "/api/auth/password", { headers, body });
    assert.equal(change.json.code, "authentication_required");
  });

  it("does nothing on the local socket: neither is one read, nor set", async () => {
    const signedIn = await login({}, { local: true });
    assert.equal(signedIn.headers["set-cookie"], undefined);
    assert.match(signedIn.json.refresh_token, /^str_/);
    const value = await freshCookie();
    for (const path of ["refresh", "logout"]) {
      const headers = { cookie: `${name}=${value}`, ...ownPage };
      const { status, json } = await agent.call("POST", `/api/auth/${path}`, {
        local: true,
        body: {},
        headers,
      });
      assert.deepEqual([status, json.code], [401, "authentication_required"], path);
    }
    assert.ok(await isGood(value), "the session is untouched");
  });

  describe("of a user with a second factor", () => {
    let secret: string;
    let recoveryCodes: string[];
    const username = "with-factor";
    const mine = { username, password: goodPassword };
    before(async () => {
      const { id, token } = await agent.signedIn(username, "operator");
      ({ secret, recoveryCodes } = await enrol(agent.call, { id, token, password: goodPassword }));
    });
    it("is not set before the code is given, and then by POST /api/auth/totp", async () => {
      const first = await login(mine);
      assert.deepEqual([first.json.code, first.headers["set-cookie"]], ["totp_required", undefined]);
      const { challenge_token } = first.json;
      const body = { challenge_token, code: codeOf(secret, Date.now() / 1_000 + 30), refresh: "cookie" };
      const second = await agent.call("POST", "/api/auth/totp", { body });
      assert.equal(second.status, 200, second.text);
      assert.ok(!("refresh_token" in second.json), "the token is in the body too");
      assert.equal((await byCookie("refresh", `${name}=${cookieOf(second).value}`)).status, 200);
    });
    it("is set by a sign-in with a recovery code", async () => {
      const answer = await login({ ...mine, recovery_code: recoveryCodes[0] });
      assert.equal((await byCookie("refresh", `${name}=${cookieOf(answer).value}`)).status, 200);
    });
    it("is not to be had from a recovery, behind which a sign-in takes the password alone", async () => {
      const recover = (more: object) =>
        agent.call("POST", `/api/users/${username}/2fa/recover`, {
          body: { password: goodPassword, recovery_code: recoveryCodes[1], ...more },
        });
      const asked = await recover({ refresh: "cookie" });
      assert.deepEqual([asked.status, asked.json.code], [400, "unknown_field"]);
      const recovered = await recover({});
      assert.equal(recovered.headers["set-cookie"], undefined);
      assert.match(recovered.json.refresh_token, /^str_/);
      assert.match(cookieOf(await login(mine)).value, /^str_/);
    });
  });
});
