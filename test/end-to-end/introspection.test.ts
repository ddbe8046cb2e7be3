import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { before, describe, it } from "node:test";
import {
  allowInsecureRequests,
  customFetch,
  introspectionRequest,
  None,
  processIntrospectionResponse,
} from "oauth4webapi";
import { goodPassword, type SignedIn } from "../../lab/agents/checked-agent.ts";
import { startProductAgent } from "../../lab/agents/product-agent.ts";
import { requestText, sendRaw } from "../../lab/agents/raw-http.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";
import { standingTime } from "../../lab/simulated/test-time.ts";
import { ordinaryServer } from "../../lab/simulated/time-network.ts";

const form = "application/x-www-form-urlencoded";
const path = "/api/product/introspect";

describe("a token that the product asks about", () => {
  const time = standingTime();
  const title = { en: "Pump" };
  const pages = (["operator", "readonly", "admin"] as const).map((role, index) => ({
    ...{ name: ["pump", "far", "near"][index], title, role, url: `http://127.0.0.1:${9001 + index}` },
  }));
  const agent = ofSuite(() =>
    startProductAgent({ sign_in: "http://127.0.0.1:8470", pages }, { time, openClock: time.servedClock() }),
  );
  let bob: SignedIn;
  before(async () => {
    await agent.signedInAdmin();
    bob = await agent.signedIn("bob", "operator");
  });

  /** As a program sends it. */
  const send = (
    body: string,
    headers: Record<string, string> = { "content-type": form },
    { method = "POST", at = path } = {},
  ) =>
    new Promise<{ status: number; headers: Headers; text: string; json: Record<string, unknown> }>(
      (resolve, reject) => {
        const request = httpRequest(
          { socketPath: agent.productSocket, method, path: at, headers },
          async (response) => {
            let text = "";
            for await (const chunk of response.setEncoding("utf8")) text += chunk;
            const answered = new Headers(response.headers as Record<string, string>);
            resolve({ status: response.statusCode ?? 0, headers: answered, text, json: JSON.parse(text) });
          },
        );
        request.once("error", reject);
        request.end(body);
      },
    );
  const ask = async (token: string, more: Record<string, string> = {}) => {
    const { status, json } = await send(String(new URLSearchParams({ token, ...more })));
    assert.equal(status, 200);
    return json;
  };
  const inactive = { active: false };
  const make = async (body: object = {}, by: object = { token: bob.token }) => {
    const { status, json, text } = await agent.call("POST", "/api/tokens", {
      ...by,
      body: { name: "pump reader", scopes: ["product:use"], expires_in: "1h", ...body },
    });
    assert.equal(status, 201, text);
    return json;
  };
  const root = async (method: string, at: string, body?: object): Promise<void> => {
    const { status, text } = await agent.call(method, at, { local: true, ...(body && { body }) });
    assert.ok(status < 300, text);
  };

  it("has no end before the clock has been trusted, as its time has not begun", async () => {
    const { active, exp } = await ask((await make()).token);
    assert.deepEqual([active, exp], [true, undefined]);
    await root("PUT", "/api/system", { time: { mode: "observe", servers: [ordinaryServer.address] } });
    const isTrusted = async () => (await agent.read("/api/system/time-sync")).trust !== "none";
    await time.passUntil(until("the clock is trusted", isTrusted));
  });

  it("is described as RFC 7662 says, as a client of another maker reads it", async () => {
    const { token, id, created_at, expires_at } = await make({ scopes: ["system:read", "product:use"] });
    const as = { issuer: "http://steward.invalid", introspection_endpoint: `http://steward.invalid${path}` };
    const client = { client_id: "pump" };
    const fetched = await introspectionRequest(as, client, None(), token, {
      [allowInsecureRequests]: true,
      [customFetch]: async (_, { body, headers }) => {
        const { status, headers: answered, text } = await send(String(body), headers);
        return new Response(text, { status, headers: answered });
      },
    });
    const secondsOf = (at: string) => Math.floor(Date.parse(at) / 1_000);
    assert.deepEqual(await processIntrospectionResponse(as, client, fetched), {
      ...{ active: true, scope: "product:use", client_id: id, token_type: "Bearer" },
      ...{ username: "bob", sub: bob.id, steward_role: "operator", aud: ["pump", "far"] },
      ...{ iat: secondsOf(created_at), exp: secondsOf(expires_at) },
    });
    assert.equal(fetched.headers.get("cache-control"), "no-store");
  });

  it("has the pages that it is bound to, and is nothing where its owner may open none of them", async () => {
    const aud = async (...pages: string[]) => (await ask((await make({ pages })).token)).aud;
    assert.deepEqual(await aud("far", "near"), ["far"]);
    assert.deepEqual(await ask((await make({ pages: ["near"] })).token), inactive);
    const { token } = await make({ pages: ["far", "near"] });
    assert.deepEqual((await ask(token, { page: "far" })).aud, ["far"]);
    for (const page of ["pump", "near", "fa", "FAR", "", "constructor"])
      assert.deepEqual(await ask(token, { page }), inactive, `a library that reads \`active\` at ${page}`);
  });

  it("is nothing for whatever reason it does not count, with the same answer", async () => {
    const { token, id } = await make();
    const { json } = await agent.call("POST", "/api/product/pages/pump/enter", {
      token: bob.token,
      body: {},
    });
    const { headers } = await agent.call(
      "GET",
      `/api/product/pages/pump/finish${new URL(json.location).search}`,
    );
    const [cookie = ""] = String(headers["set-cookie"]).split(";", 1);
    for (const [what, text] of [
      ["of no token", `stw_${"A".repeat(43)}`],
      ["cut short", token.slice(0, -1)],
      ["in capitals", token.toUpperCase()],
      ["with a blank", ` ${token}`],
      ["its id", id],
      ["without the scope", (await make({ scopes: ["system:read", "logs:read"] })).token],
      ["a person's", bob.token],
      ["that renews a session", bob.refreshToken],
      ["a page's cookie", cookie],
      ["its value", cookie.split("=")[1]],
      ["a member of every object", "__proto__"],
      ["NUL", "\0"],
    ] as const) {
      const { status, text: answer } = await send(String(new URLSearchParams({ token: String(text) })));
      assert.deepEqual([status, answer], [200, JSON.stringify(inactive)], what);
    }
    assert.equal((await ask(token)).active, true);
  });

  it("follows its owner's role, their right to sign in, its own end and its deletion", async () => {
    const user = await agent.signedIn("eve", "operator");
    const own = { token: user.token };
    const [first, second] = [await make({}, own), await make({}, own)];
    const at = `/api/users/${user.id}`;
    await root("PUT", at, { role: "readonly" });
    assert.deepEqual((await ask(first.token)).aud, ["far"]);
    await root("PUT", at, { role: "operator", enabled: false });
    assert.deepEqual(await ask(first.token), inactive);
    await root("PUT", at, { enabled: true });
    await root("PUT", "/api/system", { security: { require_2fa: "all" } });
    assert.deepEqual(await ask(first.token), inactive, "its owner has to enrol first");
    await root("PUT", "/api/system", { security: { require_2fa: "none" } });
    await root("DELETE", `/api/tokens/${first.id}`);
    assert.deepEqual(await ask(first.token), inactive);
    assert.equal((await ask(second.token)).active, true);
    time.pass(3_600);
    bob = await agent.login("bob", goodPassword);
    assert.deepEqual(await ask(second.token), inactive, "an hour later");
    const again = await make({}, { token: (await agent.login("eve", goodPassword)).token });
    await root("DELETE", at);
    assert.deepEqual(await ask(again.token), inactive);
  });

  it("counts from its ranges only where the product says that its client is in one", async () => {
    const body = { sources: ["192.0.2.0/24", "2001:db8::/32"], user_id: bob.id };
    const { token } = await make(body, { local: true });
    for (const [client_address, isActive] of [
      ["192.0.2.7", true],
      ["::ffff:192.0.2.7", true],
      ["2001:DB8::1", true],
      ["192.0.3.7", false],
      ["192.0.2.7, 192.0.3.7", false],
      ["local", false],
      ["", false],
    ] as const)
      assert.equal((await ask(token, { client_address })).active, isActive, client_address);
    assert.deepEqual(await ask(token), inactive);
    const { json } = await agent.call("GET", `/api/tokens?user_id=${bob.id}`, { local: true });
    const used = json.items.find(({ sources }: { sources: string[] }) => sources.length > 0);
    assert.equal(used.last_used_from, "192.0.2.7");
  });

  it("is asked about by a form of one token, of 4 KiB at most", async () => {
    const { token } = await make();
    const asked = `token=${token}`;
    const type = { "content-type": form };
    for (const [what, status, ...given] of [
      ["no token", 400, "token_type_hint=access_token"],
      ["an empty one", 400, "token="],
      ["two", 400, `${asked}&${asked}`],
      ["two addresses", 400, `${asked}&client_address=192.0.2.7&client_address=192.0.2.8`],
      ["two pages", 400, `${asked}&page=pump&page=far`],
      ["JSON", 415, JSON.stringify({ token }), { "content-type": "application/json" }],
      ["no type", 415, asked, {}],
      ["a form that is packed", 415, asked, { ...type, "content-encoding": "gzip" }],
      ["one of 4 KiB and a byte", 413, `${asked}&a=${"a".repeat(4_097 - asked.length - 3)}`],
      ["another method", 404, asked, type, { method: "PUT" }],
      ["an address with the token", 404, "", type, { at: `${path}?${asked}` }],
      ["the API of Steward", 404, "", type, { at: "/api/status" }],
      ["the same by another way", 404, asked, type, { at: `/api/../api/product/introspect` }],
    ] as const) {
      const answer = await send(given[0], given[1], given[2]);
      assert.deepEqual([answer.status, answer.headers.get("connection")], [status, "close"], what);
      assert.deepEqual(Object.keys(answer.json), ["error", "error_description"]);
      assert.equal(answer.json.error, "invalid_request");
      assert.ok(!answer.text.includes(token), what);
    }
    const largest = `${asked}&a=${"a".repeat(4_096 - asked.length - 3)}`;
    for (const body of [asked, `token_type_hint=x&${asked}&unknown=1`, largest])
      assert.equal(
        (await send(body, { "content-type": `${form.toUpperCase()}; charset=UTF-8` })).json.active,
        true,
      );
  });

  it("is asked about also after a program has gone in the middle of its form", async () => {
    const { token } = await make();
    const body = `token=${token}`;
    const head = [`Content-Type: ${form}`, `Content-Length: ${body.length}`];
    const bytes = requestText(`POST ${path}`, head, body.slice(0, -1));
    const { text } = await sendRaw(bytes, { port: 0, socketPath: agent.productSocket, isEnding: true });
    assert.doesNotMatch(text, /active/);
    assert.equal((await ask(token)).active, true);
  });

  it("is asked about one request after the other: a flood on one connection ends it", async () => {
    const { token } = await make();
    const body = `token=${token}`;
    const head = [`Content-Type: ${form}`, `Content-Length: ${body.length}`];
    const request = requestText(`POST ${path}`, head, body);
    const { text, isClosed } = await sendRaw(request.repeat(2), { port: 0, socketPath: agent.productSocket });
    assert.deepEqual([text, isClosed], ["", true]);
    const answers = await sendRaw(request, { port: 0, socketPath: agent.productSocket, expect: 1 });
    assert.match(answers.text, /"active":true/);
  });

  it("is asked about on that socket only: the API has no such path, for no one", async () => {
    const { token } = await make();
    for (const by of [{}, { local: true }, { token: bob.token }]) {
      const { status, json } = await agent.unchecked("POST", path, { ...by, body: { token } });
      assert.deepEqual([status, json.active], [404, undefined]);
    }
  });
});
