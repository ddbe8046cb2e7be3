import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkAnswer } from "../../lab/agents/answer-rules.ts";
import { startCheckedAgent, untilLogged } from "../../lab/agents/checked-agent.ts";
import type { Answer } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { listen } from "./fixture.ts";

describe("every answer", () => {
  const agent = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());

  describe("X-Request-Id", () => {
    const honoured = ["a", "A-b_c.9", "0".repeat(64)];
    const refused = ["0".repeat(65), "a b", "a;b", "é", "a/b", "<script>", '"', "a,b", ""];
    for (const id of [...honoured, ...refused])
      it(`is the caller's own only where that is plain: ${JSON.stringify(id.slice(0, 12))}`, async () => {
        const { headers } = await agent.call("GET", "/api/version", { headers: { "x-request-id": id } });
        assert.equal(headers["x-request-id"] === id, honoured.includes(id));
      });
    it("names the same id in a problem's body", async () => {
      const { json } = await agent.call("GET", "/api/nothing", { headers: { "x-request-id": "find-me.1" } });
      assert.equal(json.request_id, "find-me.1");
    });
    it("stands in the log line of a refused change", async () => {
      const headers = { "x-request-id": "in-the-log.1" };
      await agent.call("POST", "/api/users", { body: {}, headers });
      await untilLogged(agent, /"status":401,"request_id":"in-the-log\.1"/);
    });
  });

  it("that is a 401 names invalid_token where a token is at fault, and asks for one of another scheme", async () => {
    const asked = async (headers: Record<string, string>) => {
      const { status, headers: given, json } = await agent.call("GET", "/api/users", { headers });
      return [status, given["www-authenticate"], json.code];
    };
    assert.deepEqual(await asked({}), [401, "Bearer", "authentication_required"]);
    const wrong = [401, 'Bearer error="invalid_token"', "invalid_token"];
    assert.deepEqual(await asked({ authorization: "Bearer no.such.token" }), wrong);
    assert.equal((await asked({ authorization: "Basic cm9vdDo=" })).at(-1), "authentication_required");
  });

  describe("method and path", () => {
    const table: [string, string, number][] = [
      ["DELETE", "/api/version", 405],
      ["OPTIONS", "/api/users", 204],
      ["OPTIONS", "/api/nothing", 404],
      ["PUT", "/api/users", 405],
      ["GET", "/api/nothing", 404],
      ["POST", "/api/users/usr_0/nothing", 404],
    ];
    for (const [method, path, status] of table)
      it(`${method} ${path} is ${status}`, async () => {
        assert.equal((await agent.call(method, path, { token: admin.token })).status, status);
      });
    it("405 allows what the path does answer", async () => {
      const { headers } = await agent.call("PATCH", "/api/users");
      assert.deepEqual(String(headers.allow).split(", ").sort(), ["GET", "HEAD", "POST"]);
    });
    for (const [path, allow] of [
      ["/api/users", ["GET", "HEAD", "OPTIONS", "POST"]],
      ["/users", ["GET", "HEAD", "OPTIONS"]],
    ] as const)
      it(`OPTIONS names what ${path} answers, and lets no other origin in`, async () => {
        const { headers, text } = await agent.call("OPTIONS", path, {
          headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
        });
        assert.deepEqual(String(headers.allow).split(", ").sort(), allow);
        assert.deepEqual([text, Object.keys(headers).filter((name) => name.startsWith("access-"))], ["", []]);
        assert.equal(headers["content-type"], undefined);
      });
    it("HEAD has the headers of GET and no body", async () => {
      const get = await agent.call("GET", "/api/version");
      const head = await agent.call("HEAD", "/api/version");
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(head.headers["content-length"], get.headers["content-length"]);
      assert.equal(head.headers["content-type"], get.headers["content-type"]);
    });
  });

  it("has its length in bytes, also where its head leaves apart from a long text", async () => {
    for (let index = 0; index < 20; index += 1) {
      const more = { display_name: "é".repeat(64), password: "five quite unrelated words", role: "readonly" };
      const body = { username: `user-${index}`, ...more };
      assert.equal((await agent.call("POST", "/api/users", { token: admin.token, body })).status, 201);
    }
    const { headers, text } = await agent.call("GET", "/api/users", { token: admin.token });
    const bytes = Buffer.byteLength(text);
    assert.ok(bytes > text.length && text.length > 8_192, `${bytes} bytes, ${text.length} characters`);
    assert.equal(headers["content-length"], String(bytes));
    assert.doesNotThrow(() => JSON.parse(text));
  });

  describe("content negotiation", () => {
    for (const [status, types] of [
      [200, ["application/json", "*/*", "application/*", "text/html, application/json;q=0.1"]],
      [406, ["text/html", "image/*", "application/xml"]],
    ] as const)
      for (const accept of types)
        it(`answers Accept: ${accept} with ${status}`, async () => {
          const answer = await agent.call("GET", "/api/version", { headers: { accept } });
          assert.deepEqual(
            [answer.status, answer.json.code],
            [status, status === 200 ? undefined : "not_acceptable"],
          );
        });
  });
});

describe("the check of answers itself", () => {
  const headers = {
    "x-request-id": "a",
    link: '</api/openapi.json>; rel="service-desc"; type="application/json"',
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-type": "application/json",
    date: "Thu, 01 Jan 1970 00:00:00 GMT",
  };
  const json = { name: "steward", version: "1.0.0", api_version: "1" };
  const right: Answer = { status: 200, headers, json, text: JSON.stringify(json) };
  const check = (change: Partial<Answer>) => () =>
    checkAnswer("GET", "/api/version", { ...right, ...change });
  it("lets a right answer pass", check({}));
  const wrong: Record<string, Partial<Answer>> = {
    "no link to the document": { headers: { ...headers, link: undefined } },
    "a member that the schema does not know": { json: { ...json, extra: 1 } },
    "a member missing": { json: { name: "steward" } },
    "a status that is not announced": { status: 201 },
    "no X-Request-Id": { headers: { ...headers, "x-request-id": undefined } },
    "an answer that may be kept": { headers: { ...headers, "cache-control": "max-age=60" } },
    "an error that is no problem document": { status: 404 },
    "no security header": { headers: { ...headers, "x-content-type-options": undefined } },
  };
  for (const [name, change] of Object.entries(wrong))
    it(`refuses ${name}`, () => assert.throws(check(change), assert.AssertionError));
});

describe("the answers of every agent that a test starts in its own process", () => {
  it("are held against the contract: one that does not fit fails the test when it disposes of the agent", async (test) => {
    const agent = await startAgentInProcess();
    const notOurs = createServer((_, response) => {
      response.setHeader("X-Request-Id", "a").setHeader("Cross-Origin-Resource-Policy", "same-origin");
      response.end('{"name": "steward", "version": 1}');
    });
    await (await fetch(`http://127.0.0.1:${await listen(test, notOurs)}/api/version`)).text();
    await assert.rejects(agent.dispose(), /GET \/api\/version → 200/);
  });
});
