import assert from "node:assert/strict";
import { hostname } from "node:os";
import { after, before, describe, it } from "node:test";
import { type CheckedAgent, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { requestText, sendRaw } from "../../../lab/agents/raw-http.ts";

const short = hostname().split(".")[0];
const literals =
  "127.0.0.1|127.0.0.1:8470|192.0.2.7|[::1]|[::1]:8470|[2001:db8::7]|localhost|LocalHost:8470|localhost.";
const own = [hostname(), hostname().toUpperCase(), `${short}.local`, `${short}.local:8470`];
const ours = [...literals.split("|"), ...own];

const names =
  "evil.example|evil.example:8470|127.0.0.1.evil.example|localhost.evil.example|evil.example#127.0.0.1|127.0.0.1@evil.example|user:secret@127.0.0.1|127.0.0.1, evil.example|127.0.0.1 evil.example|evil.local";
const malformed =
  "127.0.0.1:8470:8470|127.0.0.1:port|127.1|0x7f.0.0.1|2130706433|::1|[::1|[::1].evil.example|[127.0.0.1]|[fe80::1%eth0]";
const alike = [`${hostname()}.evil.example`, `${short}.local.evil.example`];
const foreign = [...names.split("|"), ...malformed.split("|"), ...alike];

let agent: CheckedAgent;
before(async () => {
  agent = await startCheckedAgent();
  await agent.signedInAdmin();
});
after(() => agent.dispose());

describe("the Host header", () => {
  for (const host of ours)
    it(`${host} is this device`, async () => {
      assert.equal((await agent.call("GET", "/api/version", { headers: { host } })).status, 200);
    });
  for (const host of foreign)
    it(`${JSON.stringify(host)} is not: 421, for the API and for the console (DNS rebinding)`, async () => {
      for (const path of ["/api/version", "/"]) {
        const { status, json } = await agent.call("GET", path, { headers: { host } });
        assert.deepEqual([status, json.code], [421, "misdirected_request"]);
      }
    });
  describe("that is not, of a browser", () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
    const page = (headers: Record<string, string>, method = "GET", path = "/users") =>
      agent.call(method, path, { headers: { host: "evil.example", accept, ...headers } });
    const languages = {
      "": "en",
      "fr, de-AT;q=0.9, en;q=0.8": "de",
      "en-GB,en;q=0.9,de;q=0.8": "en",
      fr: "en",
      "x-de": "en",
    };
    for (const [accepted, language] of Object.entries(languages))
      it(`gets a page that says what to do, in "${accepted}": ${language}`, async () => {
        const { status, headers, text } = await page({ "accept-language": accepted });
        assert.deepEqual([status, headers["content-type"]], [421, "text/html; charset=utf-8"]);
        assert.match(String(headers["content-security-policy"]), /^default-src 'none';/);
        assert.match(text, new RegExp(`<html lang="${language}">`));
        assert.match(text, /<code>evil\.example<\/code>.*steward\.json/);
      });
    it("is given no name and no address of the device, which a page of the attacker's could read there", async () => {
      const { text } = await page({});
      for (const own of [hostname(), "127.0.0.1", "href"]) assert.ok(!text.includes(own), own);
    });
    it("is given nothing back but a name", async () => {
      for (const host of ['"><script>', "<b>", "a'b", "[::1", "é.example"]) {
        const { status, text } = await page({ host });
        assert.equal(status, 421);
        assert.ok(!/script|<b>|a'b|::1|é|names/.test(text), text);
      }
    });
    it("is a program's for the API, and where it sends something", async () => {
      for (const [method, path, headers] of [
        ["GET", "/api/version", {}],
        ["POST", "/", {}],
        ["GET", "/", { authorization: "Bearer stm_secret" }],
        ["GET", "/", { accept: "application/json" }],
      ] as const)
        assert.equal(
          (await page(headers, method, path)).json.code,
          "misdirected_request",
          `${method} ${path}`,
        );
    });
  });

  const raw = async (bytes: string, method = "GET") => {
    const { answers } = await sendRaw(bytes, { port: agent.port, expect: 1 });
    const [answer] = answers;
    assert.ok(answer, "no answer");
    return agent.judge(method, "/api/version", answer);
  };
  for (const version of ["1.0", "1.1"])
    it(`may not be missing in HTTP/${version}`, async () => {
      const { status, json } = await raw(`GET /api/version HTTP/${version}\r\n\r\n`);
      assert.deepEqual([status, json.code], [400, "malformed_request"]);
    });
  const checks = ["OPTIONS / ", "OPTIONS /api/users ", "GET /api/health ", "GET /api/health/ready "];
  for (const line of checks)
    it(`may be missing in a check of health: ${line}HTTP/1.0, and the connection ends`, async () => {
      const { answers, isClosed } = await sendRaw(`${line}HTTP/1.0\r\n\r\n`, { port: agent.port });
      const found = [answers[0]?.status, answers[0]?.headers.connection, isClosed];
      assert.deepEqual(found, [/^OPT/.test(line) ? 204 : 200, "close", true]);
    });
  const others = ["GET /api/healthy HTTP/1.0", "POST /api/health HTTP/1.0", "GET /api/health HTTP/1.1"];
  for (const line of [...others, "GET http://evil.example/api/health HTTP/1.0", "GET //api/health HTTP/1.0"])
    it(`may not be missing otherwise: ${line}`, async () => {
      const { answers } = await sendRaw(`${line}\r\n\r\n`, { port: agent.port, expect: 1 });
      assert.deepEqual([answers[0]?.status, answers[0]?.json?.code], [400, "malformed_request"]);
    });
  it("may not be a foreign one in a check of health, nor empty", async () => {
    for (const text of [
      "GET /api/health HTTP/1.0\r\nHost: evil.example",
      "GET /api/version HTTP/1.1\r\nHost:",
    ])
      assert.equal((await raw(`${text}\r\n\r\n`)).status, 421);
  });
  for (const second of ["evil.example", "127.0.0.1"])
    it(`may not be there twice: also ${second} (RFC 9112 §3.2)`, async () => {
      const { status, json } = await raw(requestText("GET /api/version", [`host: ${second}`]));
      assert.deepEqual([status, json.code], [400, "malformed_request"]);
    });

  describe("and a target in absolute form (RFC 9112 §3.2.2)", () => {
    const targets: [target: string, status: number][] = [
      ["http://127.0.0.1/api/version", 200],
      ["HTTP://localhost:8470/api/version", 200],
      ["http://evil.example/api/version", 421],
      ["http://127.0.0.1@evil.example/api/version", 421],
      ["https://evil.example", 421],
      ["http://127.0.0.1/api/%zz", 400],
      ["http://[/api/version", 400],
      ["http://[::1/api/version", 400],
      ["http://%zz/", 400],
      ["//user@[#", 400],
    ];
    for (const [target, expected] of targets)
      for (const method of ["GET", "POST"])
        it(`${method} ${target} is ${method === "POST" && expected === 200 ? 405 : expected}, and never a 5xx`, async () => {
          const { status } = await raw(requestText(`${method} ${target}`, ["Content-Length: 0"]), method);
          assert.equal(status, method === "POST" && expected === 200 ? 405 : expected);
        });
  });

  it("no answer lets another origin in (CORS)", async () => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "PUT" };
    for (const method of ["OPTIONS", "GET"]) {
      const answer = await agent.call(method, "/api/version", { headers });
      const granted = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
      assert.deepEqual(granted, []);
    }
  });
});

describe("the unix socket", () => {
  const forwarded: Record<string, string> = {
    origin: "http://127.0.0.1:8470",
    Origin: "null",
    "x-forwarded-for": "127.0.0.1",
    "X-Forwarded-Host": "127.0.0.1",
    "x-forwarded-proto": "https",
    forwarded: "for=127.0.0.1",
  };
  for (const [name, value] of Object.entries(forwarded))
    it(`refuses a request with ${name}: it is another client's (a proxy in front of root's socket)`, async () => {
      const headers = { [name]: value };
      const { status, json } = await agent.call("GET", "/api/users", { local: true, headers });
      assert.deepEqual([status, json.code], [403, "forbidden"]);
      const body = { username: "intruder", role: "admin" };
      assert.equal((await agent.call("POST", "/api/users", { local: true, headers, body })).status, 403);
      assert.equal((await agent.call("GET", "/api/users", { local: true })).json.total, 1);
    });
  it("takes any Host: names do not lead there", async () => {
    const headers = { host: "whatever.example" };
    assert.equal((await agent.call("GET", "/api/users", { local: true, headers })).status, 200);
  });
  it("believes nothing that a request over TCP says of its origin", async () => {
    const headers = { "x-forwarded-for": "local", forwarded: "for=unix:", "x-real-ip": "local" };
    assert.equal((await agent.call("GET", "/api/users", { headers })).status, 401);
  });
});
