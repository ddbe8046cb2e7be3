import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import type { Answer, CallOptions } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";

const pump = "https://edge-7.example.net:444";
const far = "https://pump.example.org";
const near = "https://edge-7.example.net:446";
const gate = "a text that only the page knows";

/** The headers of a person who opens a page, of its own script, and of a form on it. */
const opens = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const script = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };

describe("the pages of the product", () => {
  const time = standingTime();
  const home = scratchDirectory();
  const inHome = (name: string) => join(home, name);
  const agent = ofSuite(() => {
    const [hostFile, secret_file, version_file] = ["steward.json", "gate", "version"].map(inHome);
    writeFileSync(String(secret_file), `${gate}\n`, { mode: 0o600 });
    writeFileSync(String(version_file), "2.4.0\n");
    const sign_in = "https://edge-7.example.net:8443";
    const pages = [
      { name: "pump", title: { en: "Pump", de: "Pumpe" }, url: `${pump}/`, role: "operator", secret_file },
      { name: "far", title: { en: "Far" }, url: far, role: "readonly" },
      { name: "near", title: { en: "Near" }, url: near, role: "admin" },
    ];
    writeFileSync(
      String(hostFile),
      JSON.stringify({ product: { name: "pump-7", sign_in, version_file, pages } }),
    );
    return startCheckedAgent({ time, arguments: ["--host-file", String(hostFile)] });
  });
  let admin: SignedIn;
  let ada: SignedIn;
  const ask = (path: string, headers: Record<string, string>): Promise<Answer> =>
    agent.call("GET", `/api/product/pages/${path}`, { headers });
  const check = (headers: Record<string, string>, method = "GET", page = "pump") =>
    ask(`${page}/check`, { "x-original-method": method, "x-original-uri": "/status?a=1", ...headers });
  /** The cookie of a page, as a browser that goes there from the console gets it. */
  const enter = async ({ token }: SignedIn, page = "pump", to = "/status?a=1&b=2"): Promise<string> => {
    const { json } = await agent.call("POST", `/api/product/pages/${page}/enter`, { token, body: { to } });
    const { search } = new URL(json.location);
    const { headers } = await ask(`${page}/finish${search}`, { ...opens, "sec-fetch-site": "same-site" });
    const cookie = String(headers["set-cookie"]);
    assert.match(cookie, /^[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    return cookie.split(";", 1)[0] ?? "";
  };
  before(async () => {
    admin = await agent.signedInAdmin();
    ada = await agent.signedIn("ada", "operator");
  });

  it("let a person in who has signed in, and say to the page who it is", async () => {
    const cookie = await enter(ada);
    assert.match(cookie, /^__Host-steward-page-pump-[0-9a-f]{8}=[0-9a-f]{32}\.[\w-]{32}$/);
    const { status, headers } = await check({ cookie, ...script });
    const { "steward-session": session, ...told } = Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith("steward-")),
    );
    assert.equal(status, 204);
    assert.match(String(session), /^ses_/);
    assert.equal(headers["cache-control"], "no-store");
    assert.deepEqual(told, {
      "steward-user": "ada",
      "steward-user-id": ada.id,
      "steward-role": "operator",
      "steward-kind": "user",
      "steward-recheck": "30",
      "steward-gate": gate,
      "steward-authorization": "",
    });
  });

  it("lead only a person who opens them to the sign-in, and back to a path of their own", async () => {
    const to = "https://edge-7.example.net:8443/product/pump?to=/status?a=1";
    const html = { accept: "text/html" };
    for (const [asks, headers, expected] of [
      ["a person", opens, to],
      ["a person over plain HTTP", html, to],
      ["a script", script, undefined],
      ["a frame", { ...opens, "sec-fetch-dest": "iframe" }, undefined],
      ["a program", { accept: "*/*" }, undefined],
    ] as const) {
      const { status, headers: told } = await check(headers);
      assert.deepEqual([status, told["steward-sign-in"]], [401, expected], asks);
      const redirected = await ask("pump/check?redirect", { "x-forwarded-method": "GET", ...headers });
      assert.equal(redirected.status, expected === undefined ? 401 : 302, asks);
    }
    const change = await check({ authorization: "Bearer other" }, "POST");
    assert.equal(change.status, 401, "a program whose token does not count");
    for (const [target, path] of [
      ["//evil.example", "/"],
      ["/a//b?x=//y", "/a//b?x=//y"],
    ] as const) {
      const { headers } = await check({ ...opens, "x-original-uri": target });
      assert.equal(String(headers["steward-sign-in"]).split("?to=")[1], path, target);
    }
  });

  it("refuse what another origin's page has caused, in a browser that is signed in", async () => {
    const cookie = await enter(ada);
    const other = "https://edge-7.example.net:445";
    for (const [what, method, headers, status] of [
      ["its own form", "POST", { ...script, origin: pump }, 204],
      ["its own WebSocket", "GET", { ...script, origin: pump, "sec-fetch-mode": "websocket" }, 204],
      ["a link elsewhere", "GET", { ...opens, "sec-fetch-site": "cross-site" }, 204],
      ["a form on another port", "POST", { ...opens, "sec-fetch-site": "same-site", origin: other }, 403],
      ["a picture on another port", "GET", { ...script, "sec-fetch-site": "same-site" }, 403],
      [
        "a frame on another port",
        "GET",
        { ...opens, "sec-fetch-site": "same-site", "sec-fetch-dest": "iframe" },
        403,
      ],
      ["a WebSocket of another port", "GET", { origin: other }, 403],
      ["a sandboxed form", "POST", { origin: "null" }, 403],
      ["a change without an origin", "DELETE", {}, 403],
      ["a method that nobody knows", "FROB", {}, 403],
      ["a change that its client calls a GET", "POST", { "x-forwarded-method": "GET" }, 403],
      ["a read that its client calls a change", "GET", { "x-forwarded-method": "POST" }, 403],
    ] as const) {
      const answer = await check({ cookie, ...headers }, method);
      assert.deepEqual(
        [answer.status, answer.headers["steward-refusal"]],
        [status, status === 403 ? "foreign" : undefined],
        what,
      );
    }
  });

  it("have a cookie each that counts for nothing else", async () => {
    const cookie = await enter(ada);
    const [, value = ""] = cookie.split("=");
    const ofFar = cookie.replace("-pump-", "-far-");
    assert.equal((await check({ cookie: ofFar, ...script }, "GET", "far")).status, 401);
    for (const headers of [{ cookie }, { authorization: `Bearer ${value}` }])
      assert.equal((await agent.unchecked("GET", "/api/auth/me", { headers })).status, 401);
    for (const spoilt of [
      `${value}a`,
      value.slice(0, -1),
      `${value.slice(0, 33)}constructor`,
      "constructor.a",
    ])
      assert.equal((await check({ cookie: `${cookie.split("=")[0]}=${spoilt}`, ...script })).status, 401);
    // An access token counts for the API only.
    assert.equal((await check({ authorization: `Bearer ${ada.token}`, ...script })).status, 401);
  });

  it("take a code once, within a minute, for the page that it was made for, and from no foreign page", async () => {
    const begin = async (page = "pump"): Promise<string> => {
      const { json } = await agent.call("POST", `/api/product/pages/${page}/enter`, {
        token: ada.token,
        body: {},
      });
      return String(new URL(json.location).searchParams.get("code"));
    };
    const finish = async (code: string, page = "pump", site = "same-site") => {
      const { headers } = await ask(`${page}/finish?code=${code}&to=/a?b=c`, {
        ...opens,
        "sec-fetch-site": site,
      });
      return [headers["set-cookie"] !== undefined, headers.location ?? headers.refresh];
    };
    const again = `https://edge-7.example.net:8443/product/pump?to=/a?b=c`;
    const code = await begin();
    assert.deepEqual(await finish(code), [true, "/a?b=c"]);
    assert.deepEqual(await finish(code), [false, again], "used");
    assert.deepEqual(
      await finish(await begin(), "pump", "cross-site"),
      [false, undefined],
      "of a foreign page",
    );
    assert.deepEqual((await finish(await begin("far"), "pump"))[0], false, "of another page");
    assert.deepEqual(
      await finish(await begin("far"), "far", "cross-site"),
      [true, "0; url=/a?b=c"],
      "under another name, where a redirect would lack the cookie",
    );
    const late = await begin();
    time.pass(60);
    assert.deepEqual(await finish(late), [false, again], "too late");
  });

  it("follow role, right to sign in and session at the next request", async () => {
    const root = (path: string, body: object) => agent.call("PUT", path, { body, local: true });
    const grace = await agent.signedIn("grace", "operator");
    const cookie = await enter(grace);
    const status = async () => (await check({ cookie, ...script })).status;
    await root(`/api/users/${grace.id}`, { role: "readonly" });
    assert.equal(await status(), 403);
    const refused = await agent.call("POST", "/api/product/pages/pump/enter", {
      token: grace.token,
      body: {},
    });
    assert.equal(refused.json.code, "forbidden");
    await root(`/api/users/${grace.id}`, { role: "operator" });
    assert.equal(await status(), 204);
    await root(`/api/users/${grace.id}`, { enabled: false });
    assert.equal(await status(), 401);
    await root(`/api/users/${grace.id}`, { enabled: true });
    const again = await agent.login("grace", goodPassword);
    const inAgain = { cookie: await enter(again), ...script };
    assert.equal((await check(inAgain)).status, 204);
    await agent.call("DELETE", `/api/users/${grace.id}/sessions`, { local: true });
    assert.equal((await check(inAgain)).status, 401);
  });

  it("let programs in by a token of the scope for it, and get no token of Steward's", async () => {
    const tokenOf = async (scope: string): Promise<string> => {
      const body = { name: scope, scopes: [scope], expires_in: "1d" };
      return (await agent.call("POST", "/api/tokens", { token: ada.token, body })).json.token;
    };
    const [itsOwn, another] = [await tokenOf("product:use"), await tokenOf("system:read")];
    const asProgram = async (token: string, method: string) => {
      const { status, headers } = await check({ authorization: `Bearer ${token}` }, method);
      return [status, headers["steward-kind"], headers["steward-session"], headers["steward-authorization"]];
    };
    assert.deepEqual(await asProgram(itsOwn, "DELETE"), [204, "token", "", ""]);
    assert.deepEqual(await asProgram(another, "GET"), [401, undefined, undefined, undefined]);
    const cookie = await enter(ada);
    for (const [authorization, passedOn] of [
      [`Bearer ${another}`, ""],
      [`bearer ${another}x`, ""],
      [`Bearer ${ada.token}`, ""],
      ["Basic cHVtcDpwdW1w", "Basic cHVtcDpwdW1w"],
      ["Bearer one.of.the-product", "Bearer one.of.the-product"],
    ] as const) {
      const { status, headers } = await check({ cookie, ...script, authorization });
      assert.deepEqual([status, headers["steward-authorization"]], [204, passedOn], authorization);
    }
  });

  it("let a program in only where its token is bound, also after a rotation, and refuse to bind one to no page", async () => {
    const make = (body: object) =>
      agent.call("POST", "/api/tokens", {
        token: ada.token,
        body: { name: "bound", scopes: ["product:use"], ...body },
      });
    const { json: made } = await make({ pages: ["pump", "near"] });
    const { json: rotated } = await agent.call("POST", `/api/tokens/${made.id}/rotate`, {
      ...{ body: {}, local: true },
    });
    for (const { token, pages } of [made, rotated]) {
      assert.deepEqual(pages, ["pump", "near"]);
      const asked = ["pump", "far", "near"].map((page) =>
        check({ authorization: `Bearer ${token}` }, "GET", page),
      );
      // The first by its name, the second by its absence, the third by the owner's role.
      assert.deepEqual(
        (await Promise.all(asked)).map(({ status }) => status),
        [204, 401, 403],
      );
    }
    for (const [body, pointer] of [
      [{ pages: ["pumps"] }, "/pages"],
      [{ pages: [] }, "/pages"],
      [{ pages: ["pump", "pump"] }, "/pages"],
      [{ pages: ["pump"], scopes: ["logs:read"] }, "/pages"],
    ] as const) {
      const { status, json } = await make(body);
      assert.deepEqual([status, json.errors[0].pointer], [400, pointer], JSON.stringify(body));
    }
    const { json: events } = await agent.call("GET", "/api/events?type=token.created&limit=1", {
      local: true,
    });
    assert.deepEqual(events.items[0].details.pages, ["pump", "near"]);
  });

  it("are in the status of those who may open them, and the product in the version of all who have signed in", async () => {
    const reader = await agent.signedIn("rita", "readonly");
    const read = async (path: string, by: CallOptions) => (await agent.call("GET", path, by)).json.product;
    const product = { name: "pump-7", version: "2.4.0" };
    for (const [by, names] of [
      [{ local: true }, ["pump", "far", "near"]],
      [admin, ["pump", "far", "near"]],
      [ada, ["pump", "far"]],
      [reader, ["far"]],
    ] as const) {
      const { pages, ...others } = await read("/api/status", by);
      assert.deepEqual(others, product);
      assert.deepEqual(
        pages.map(({ name }: { name: string }) => name),
        names,
      );
      assert.deepEqual(await read("/api/version", by), product);
    }
    const { pages } = await read("/api/status", reader);
    assert.deepEqual(pages, [{ name: "far", title: { en: "Far" }, url: `${far}/`, role: "readonly" }]);
    assert.equal(await read("/api/version", {}), undefined, "a stranger");
  });

  it("keep a session from ending unused, by what a person does and not by polling", async () => {
    const cookie = await enter(ada);
    const left = async () => {
      const { json } = await agent.call("GET", "/api/auth/sessions", { token: ada.token });
      return json.items.map(({ idle_expires_at }: { idle_expires_at: string }) =>
        Date.parse(idle_expires_at),
      );
    };
    const before = Math.max(...(await left()));
    time.pass(120);
    await check({ cookie, ...script });
    assert.equal(Math.max(...(await left())), before);
    await check({ cookie, ...script, origin: pump }, "POST");
    assert.ok(Math.max(...(await left())) >= before + 119_000);
  });
});
