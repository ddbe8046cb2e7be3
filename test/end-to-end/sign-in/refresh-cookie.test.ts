import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import {
  type Answer,
  adminName,
  adminPassword,
  type CallOptions,
  outcome,
} from "../../../lab/agents/running-agent.ts";
import { cookieOf, cookiesOf, type Kept, keptOf, ownPage } from "../../../lab/agents/set-cookie.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("the refresh cookie of a browser", () => {
  const time = standingTime();

  let name: string;
  const login = (more: object = {}, options: CallOptions = {}): Promise<Answer> =>
    agent.call("POST", "/api/auth/login", {
      body: { username: adminName, password: adminPassword, refresh: "cookie", ...more },
      ...options,
    });
  const fresh = async () => keptOf(await login());
  /** A call to a route of the cookie, from a page of this origin, which has signed in as `kept`. */
  const byCookie = (path: string, kept: Kept, headers: Record<string, string> = {}) =>
    agent.call("POST", `/api/auth/${path}`, {
      body: {},
      headers: { ...ownPage, ...kept.headers, ...headers },
    });
  const isGood = async (kept: Kept): Promise<boolean> => (await byCookie("refresh", kept)).status === 200;
  const agent = ofSuite(() => startCheckedAgent({ time }));
  before(async () => {
    const { token } = await agent.signedInAdmin();
    const { device_id } = (await agent.call("GET", "/api/version", { token })).json;
    name = `steward-refresh-${device_id.slice(0, 8)}`;
  });

  it("is named after the device, out of reach of scripts and other sites, and only for /api/auth", async () => {
    const answer = await login();
    const cookie = cookieOf(answer);
    assert.equal(cookie.name, name);
    assert.match(cookie.value, /^str_[A-Za-z0-9_-]{91}$/);
    assert.deepEqual(cookie.attributes.sort(), ["HttpOnly", "Path=/api/auth", "SameSite=Strict"]);
    assert.ok(!("refresh_token" in answer.json), "the token is in the body too");
  });

  describe("has beside it, in a cookie of its own, the half of its binding that no page stores", () => {
    const halves = async () => {
      const answer = await login();
      const [, half] = cookiesOf(answer);
      return { half, binding: answer.json.refresh_binding as string };
    };
    const told = async (value: string, dest: string | undefined, path = "/") => {
      const headers = { cookie: `${name}-document=${value}`, ...(dest && { "sec-fetch-dest": dest }) };
      return (await agent.call("GET", path, { headers })).headers["server-timing"];
    };

    it("which scripts cannot read, and which comes along from another site's link", async () => {
      const { half, binding } = await halves();
      assert.deepEqual([half?.name, half?.value], [`${name}-document`, binding.slice(26)]);
      assert.deepEqual(half?.attributes.sort(), ["HttpOnly", "Path=/", "SameSite=Lax"]);
      assert.equal((await halves()).binding.slice(26), half?.value, "the same for each sign-in of the user");
      const [, cleared] = cookiesOf(await byCookie("logout", await fresh()));
      assert.deepEqual([cleared?.name, cleared?.value], [`${name}-document`, ""]);
    });

    const destinations = ["empty", "iframe", "frame", "object", "embed", "script", "worker", "Document"];
    it("and tells it to documents only, by what browsers say of a request", async () => {
      const { half } = await halves();
      for (const path of ["/", "/users", "/users/ana"])
        for (const dest of ["document", undefined])
          assert.equal(await told(half?.value ?? "", dest, path), `document;desc="${half?.value}"`, path);
      for (const dest of destinations) assert.equal(await told(half?.value ?? "", dest), undefined, dest);
      for (const path of ["/docs/", "/api/version", "/manifest.webmanifest"])
        assert.equal(await told(half?.value ?? "", "document", path), undefined, path);
      for (const value of ['a"b', "a b", "a,b", "\\"])
        assert.equal(await told(value, "document"), undefined, value);
    });
  });

  it("is rotated by a refresh: the new token is in the cookie alone, and the old one is spent", async () => {
    const old = await fresh();
    const answer = await byCookie("refresh", old);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!("refresh_token" in answer.json), "the token is in the body too");
    assert.ok(!("refresh_binding" in answer.json), "what comes beside it is said once");
    const next = cookieOf(answer);
    assert.notEqual(next.value, old.value);
    assert.deepEqual(next.attributes.sort(), ["HttpOnly", "Path=/api/auth", "SameSite=Strict"]);
    assert.equal((await agent.call("GET", "/api/auth/me", { token: answer.json.access_token })).status, 200);
    assert.equal((await byCookie("refresh", old, { cookie: `${name}=${next.value}` })).status, 200);
    assert.equal((await byCookie("refresh", old)).json.code, "invalid_token");
  });

  it("is ended and cleared by a logout", async () => {
    const kept = await fresh();
    const answer = await byCookie("logout", kept);
    assert.equal(answer.status, 204);
    const cleared = cookieOf(answer);
    assert.deepEqual([cleared.name, cleared.value], [name, ""]);
    assert.ok(cleared.attributes.includes("Max-Age=0"), cleared.attributes.join());
    assert.ok(cleared.attributes.includes("Path=/api/auth"), "another path would clear nothing");
    assert.equal(await isGood(kept), false);
  });

  for (const value of ["ended", `str_${"A".repeat(43)}`, "x", '"quoted"']) {
    it(`that is no longer good (${value}) is cleared with the 401`, async () => {
      const kept = await fresh();
      if (value === "ended") await byCookie("logout", kept);
      const stale = value === "ended" ? kept.value : value;
      const answer = await byCookie("refresh", kept, { cookie: `${name}=${stale}` });
      assert.deepEqual([answer.status, answer.json.code], [401, "invalid_token"]);
      const { value: left, attributes } = cookieOf(answer);
      assert.equal(left, "");
      assert.ok(attributes.includes("Max-Age=0"), attributes.join());
    });
  }

  describe("that another program on this host has set or copied", () => {
    const refused = async (kept: Kept, headers: Record<string, string>) => {
      for (const path of ["refresh", "logout"]) {
        const answer = await byCookie(path, kept, headers);
        assert.deepEqual(
          [answer.status, answer.json.code, answer.json.reason],
          [401, "invalid_token", "binding"],
        );
        assert.match(answer.json.detail, /Another program on this host .* Sign in again\.$/);
        assert.deepEqual([cookieOf(answer).value, cookieOf(answer).attributes[0]], ["", "Path=/api/auth"]);
      }
    };
    it("gives no session to its thief, whatever that says of its origin, and its owner goes on", async () => {
      const kept = await fresh();
      await refused(kept, { "x-refresh-binding": "" });
      await refused(kept, { "x-refresh-binding": kept.headers["x-refresh-binding"]?.slice(0, 26) ?? "" });
      await refused(kept, { "x-refresh-binding": `srb_${"A".repeat(22)}` });
      const body = { refresh_token: kept.value };
      const inBody = await agent.call("POST", "/api/auth/refresh", { body });
      assert.deepEqual([inBody.status, inBody.json.reason], [401, "binding"]);
      const mine = await byCookie("refresh", kept);
      assert.deepEqual([mine.status, mine.json.user.username], [200, adminName]);
      const path = "/api/events?type=session.cookie_refused";
      const { items } = await agent.read(path);
      assert.equal(items.length, 1, "one line for all of them");
      assert.deepEqual(items[0].subject, { id: mine.json.user.id, name: adminName });
      assert.equal(items[0].details.session, mine.json.session.id);
    });

    it("continues no session of another account (planted after a sign-in there)", async () => {
      const kept = await fresh();
      const user = await agent.signedIn("mallory", "readonly");
      const planted = keptOf(await login({ username: "mallory", password: goodPassword }));
      await refused(kept, { cookie: `${name}=${planted.value}` });
      await refused(kept, { cookie: `${name}=${user.refreshToken}` });
      const beside = { cookie: `${name}=${planted.value}; ${name}=${kept.value}` };
      assert.equal((await byCookie("refresh", kept, beside)).json.user.username, adminName);
    });
  });

  it("opens no other route: not one of them reads it", async () => {
    const headers = { ...(await fresh()).headers, ...ownPage };
    for (const path of ["/api/auth/me", "/api/auth/sessions", "/api/users", "/api/system", "/api/tokens"]) {
      assert.equal(await outcome(agent.call("GET", path, { headers })), "401 authentication_required", path);
    }
    const body = { current_password: adminPassword, new_password: goodPassword };
    const change = await agent.call("PUT", "/api/auth/password", { headers, body });
    assert.equal(change.json.code, "authentication_required");
  });

  it("does nothing on the local socket: neither is one read, nor set", async () => {
    const signedIn = await login({}, { local: true });
    assert.equal(signedIn.headers["set-cookie"], undefined);
    assert.match(signedIn.json.refresh_token, /^str_/);
    assert.equal(signedIn.json.refresh_binding, undefined);
    const kept = await fresh();
    for (const path of ["refresh", "logout"]) {
      const headers = { ...kept.headers, ...ownPage };
      assert.equal(
        await outcome(agent.call("POST", `/api/auth/${path}`, { local: true, body: {}, headers })),
        "401 authentication_required",
        path,
      );
    }
    assert.ok(await isGood(kept), "the session is untouched");
  });

  describe("of a user with a second factor", () => {
    let secret: string;
    let recoveryCodes: string[];
    const username = "with-factor";
    const mine = { username, password: goodPassword };
    before(async () => {
      const { id, token } = await agent.signedIn(username, "operator");
      const user = { id, token, password: goodPassword };
      ({ secret, recoveryCodes } = await enrol(agent.call, user, time.nowSeconds()));
    });
    it("is not set before the code is given, and then by POST /api/auth/totp", async () => {
      const first = await login(mine);
      assert.deepEqual([first.json.code, first.headers["set-cookie"]], ["totp_required", undefined]);
      const { challenge_token } = first.json;
      const body = { challenge_token, code: codeOf(secret, time.nowSeconds() + 30), refresh: "cookie" };
      const second = await agent.call("POST", "/api/auth/totp", { body });
      assert.equal(second.status, 200, second.text);
      assert.ok(!("refresh_token" in second.json), "the token is in the body too");
      assert.equal((await byCookie("refresh", keptOf(second))).status, 200);
    });
    it("is not to be had from a recovery, behind which a sign-in takes the password alone", async () => {
      const recover = (more: object) =>
        agent.call("POST", `/api/users/${username}/2fa/recover`, {
          body: { password: goodPassword, recovery_code: recoveryCodes[1], ...more },
        });
      assert.equal(await outcome(recover({ refresh: "cookie" })), "400 unknown_field");
      const recovered = await recover({});
      assert.equal(recovered.headers["set-cookie"], undefined);
      assert.match(recovered.json.refresh_token, /^str_/);
      assert.match(cookieOf(await login(mine)).value, /^str_/);
    });
  });
});
