import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword, type CallOptions, outcome } from "../../../lab/agents/running-agent.ts";
import { cookieOf, cookiesOf, type Kept, keptOf, ownPage } from "../../../lab/agents/set-cookie.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

describe("the refresh cookie of a browser", () => {
  const time = standingTime();
  const agent = ofSuite(() => startCheckedAgent({ time }));
  let name: string;
  const login = (more: object = {}, options: CallOptions = {}) => {
    const body = { username: adminName, password: adminPassword, refresh: "cookie", ...more };
    return agent.call("POST", "/api/auth/login", { body, ...options });
  };
  const fresh = async () => keptOf(await login());
  /** A call to a route of the cookie, from a page of this origin, which has signed in as `kept`. */
  const byCookie = (path: string, kept: Kept, headers: Record<string, string> = {}) =>
    agent.call("POST", `/api/auth/${path}`, {
      ...{ body: {}, headers: { ...ownPage, ...kept.headers, ...headers } },
    });
  before(async () => {
    const { token } = await agent.signedInAdmin();
    const { device_id } = (await agent.call("GET", "/api/version", { token })).json;
    name = `steward-refresh-${device_id.slice(0, 8)}`;
    await agent.signedIn("mallory", "readonly");
  });

  it("is named after the device, out of reach of scripts and other sites, and only for /api/auth", async () => {
    const answer = await login();
    const cookie = cookieOf(answer);
    assert.equal(cookie.name, name);
    assert.match(cookie.value, /^str_[A-Za-z0-9_-]{91}$/);
    assert.deepEqual(cookie.attributes.sort(), ["HttpOnly", "Path=/api/auth", "SameSite=Strict"]);
    assert.ok(!("refresh_token" in answer.json), "the token is in the body too");
  });

  it("has beside it, in a cookie of its own, the half of its binding that no page stores, told to documents only", async () => {
    const answer = await login();
    const [, half] = cookiesOf(answer);
    assert.deepEqual(half?.attributes.sort(), ["HttpOnly", "Path=/", "SameSite=Lax"]);
    const value = answer.json.refresh_binding.slice(26);
    assert.deepEqual([half?.name, half?.value], [`${name}-document`, value]);
    assert.equal((await login()).json.refresh_binding.slice(26), value, "the same for each sign-in");
    const told = async (path: string, dest: string | undefined, sent = value) => {
      const headers = { cookie: `${name}-document=${sent}`, ...(dest && { "sec-fetch-dest": dest }) };
      return (await agent.call("GET", path, { headers })).headers["server-timing"];
    };
    for (const path of ["/", "/users", "/users/ana"])
      for (const dest of ["document", undefined])
        assert.equal(await told(path, dest), `document;desc="${value}"`, path);
    for (const dest of ["empty", "iframe", "frame", "object", "embed", "script", "worker", "Document"])
      assert.equal(await told("/", dest), undefined, dest);
    for (const path of ["/docs/", "/api/version", "/manifest.webmanifest"])
      assert.equal(await told(path, "document"), undefined, path);
    for (const sent of ['a"b', "a b", "a,b", "\\"])
      assert.equal(await told("/", "document", sent), undefined, sent);
  });

  it("is rotated by a refresh: the new token is in the cookie alone, and the old one is spent", async () => {
    const old = await fresh();
    const answer = await byCookie("refresh", old);
    const { refresh_token, refresh_binding, access_token: token } = answer.json;
    assert.deepEqual([refresh_token, refresh_binding], [undefined, undefined]);
    const next = cookieOf(answer);
    assert.notEqual(next.value, old.value);
    assert.deepEqual(next.attributes.sort(), ["HttpOnly", "Path=/api/auth", "SameSite=Strict"]);
    assert.equal((await agent.call("GET", "/api/auth/me", { token })).status, 200);
    assert.equal((await byCookie("refresh", old, { cookie: `${name}=${next.value}` })).status, 200);
    assert.equal((await byCookie("refresh", old)).json.code, "invalid_token");
  });

  it("is ended by a logout, and cleared by that and with the 401 where it is no longer good", async () => {
    const kept = await fresh();
    const ended = await byCookie("logout", kept);
    assert.equal(ended.status, 204);
    assert.deepEqual(
      cookiesOf(ended).map((one) => [one.name, one.value]),
      [
        [name, ""],
        [`${name}-document`, ""],
      ],
    );
    const stale = [kept.value, `str_${"A".repeat(43)}`, "x", '"quoted"'];
    const refused = stale.map((value) => byCookie("refresh", kept, { cookie: `${name}=${value}` }));
    for (const answer of await Promise.all(refused)) {
      assert.equal(await outcome(answer), "401 invalid_token");
      const { value, attributes } = cookieOf(answer);
      assert.equal(value, "");
      // Another path would clear nothing.
      for (const one of ["Max-Age=0", "Path=/api/auth"]) assert.ok(attributes.includes(one), `${attributes}`);
    }
  });

  it("that another program on this host has copied or planted gives no session to it, and its owner goes on", async () => {
    const kept = await fresh();
    const planted = keptOf(await login({ username: "mallory", password: goodPassword })).value;
    const half = kept.headers["x-refresh-binding"]?.slice(0, 26) ?? "";
    for (const headers of [
      ...["", half, `srb_${"A".repeat(22)}`].map((binding) => ({ "x-refresh-binding": binding })),
      { cookie: `${name}=${planted}` },
    ])
      for (const path of ["refresh", "logout"]) {
        const answer = await byCookie(path, kept, headers);
        assert.deepEqual([answer.status, answer.json.reason], [401, "binding"]);
        assert.match(answer.json.detail, /Another program on this host .* Sign in again\.$/);
        assert.deepEqual([cookieOf(answer).value, cookieOf(answer).attributes[0]], ["", "Path=/api/auth"]);
      }
    const beside = { cookie: `${name}=${planted}; ${name}=${kept.value}` };
    const { user, session } = (await byCookie("refresh", kept, beside)).json;
    assert.equal(user.username, adminName);
    const { items } = await agent.read("/api/events?type=session.cookie_refused&name=root-admin");
    assert.deepEqual([items.length, items[0].details.session], [1, session.id], "one line for all of them");
  });

  it("opens no other route, and on the local socket is neither read nor set", async () => {
    const kept = await fresh();
    const headers = { ...kept.headers, ...ownPage };
    const body = { current_password: adminPassword, new_password: goodPassword };
    for (const answer of [
      ...["auth/me", "auth/sessions", "users", "system", "tokens"].map((path) =>
        agent.call("GET", `/api/${path}`, { headers }),
      ),
      agent.call("PUT", "/api/auth/password", { headers, body }),
      agent.call("POST", "/api/auth/refresh", { local: true, body: {}, headers }),
      agent.call("POST", "/api/auth/logout", { local: true, body: {}, headers }),
    ])
      assert.equal(await outcome(answer), "401 authentication_required");
    assert.equal((await byCookie("refresh", kept)).status, 200, "the session is untouched");
    const local = await login({}, { local: true });
    assert.deepEqual([local.headers["set-cookie"], local.json.refresh_binding], [undefined, undefined]);
    assert.match(local.json.refresh_token, /^str_/);
  });

  it("of a user with a second factor is set behind the code, and is not to be had from a recovery", async () => {
    const mine = { username: "with-factor", password: goodPassword };
    const user = { ...(await agent.signedIn("with-factor", "operator")), password: goodPassword };
    const { secret, recoveryCodes } = await enrol(agent.call, user, time.nowSeconds());
    const first = await login(mine);
    assert.deepEqual([first.json.code, first.headers["set-cookie"]], ["totp_required", undefined]);
    const { challenge_token } = first.json;
    const body = { challenge_token, code: codeOf(secret, time.nowSeconds() + 30), refresh: "cookie" };
    const second = await agent.call("POST", "/api/auth/totp", { body });
    assert.ok(!("refresh_token" in second.json), "the token is in the body too");
    assert.equal((await byCookie("refresh", keptOf(second))).status, 200);
    const recover = (more: object) =>
      agent.call("POST", "/api/users/with-factor/2fa/recover", {
        body: { password: goodPassword, recovery_code: recoveryCodes[1], ...more },
      });
    assert.equal(await outcome(recover({ refresh: "cookie" })), "400 unknown_field");
    const recovered = await recover({});
    assert.equal(recovered.headers["set-cookie"], undefined);
    assert.match(recovered.json.refresh_token, /^str_/);
    assert.match(cookieOf(await login(mine)).value, /^str_/);
  });
});
