import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import {
  assertServesOthers,
  type CheckedAgent,
  goodPassword,
  type SignedIn,
  startCheckedAgent,
  untilLogged,
} from "../../../lab/agents/checked-agent.ts";
import { openSilently, requestText, sendRaw } from "../../../lab/agents/raw-http.ts";

const limitBytes = 65_536;
const newUser = { username: "intruder", role: "admin", password: goodPassword };

/** JSON of exactly so many bytes, with a member that no operation knows. */
const jsonOf = (bytes: number) => `{"padding":"${"x".repeat(bytes - '{"padding":""}'.length)}"}`;

/** By the code of the answer. */
const refused: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  malformed_json: {
    "no body at all": "",
    "JSON cut short": '{"username":"intruder"',
    "two documents": '{"a":1}{"b":2}',
    "a single quote": "{'username':'x'}",
    "a byte order mark": `\ufeff${JSON.stringify(newUser)}`,
    "a member twice": '{"username":"intruder","role":"readonly","role":"admin"}',
    "half a character": '{"username":"\\ud800","role":"admin"}',
    NaN: "NaN",
    "a form": "username=intruder&role=admin",
    "10,000 lists in each other": `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
    "32,000 lists in each other as a member": `{"username":${"[".repeat(32_000)}${"]".repeat(32_000)}}`,
  },
  validation_failed: {
    null: "null",
    "a number": "1",
    "a list of users": [newUser],
    "a role that is a list": { ...newUser, role: ["admin"] },
    "a role that is an object": { ...newUser, role: { toString: "admin" } },
    "a name that is a number": { ...newUser, username: 12345 },
    "enabled as text": { ...newUser, enabled: "true" },
    "a password that is an object": { ...newUser, password: { $ne: "" } },
    "an empty password": { ...newUser, password: "" },
    "a display name with a control character": { ...newUser, display_name: "a\u0007" },
    "5,000 members that are not known": Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 1]),
    ),
  },
  unknown_field: {
    "a member that is not known": { ...newUser, is_root: true },
    "a member in another case": { ...newUser, Role: "admin" },
    "a __proto__": '{"username":"intruder","role":"admin","__proto__":{"enabled":true}}',
    "constructor.prototype": { ...newUser, constructor: { prototype: { role: "admin" } } },
  },
};

describe("a body that is not what it should be", () => {
  let agent: CheckedAgent;
  let admin: SignedIn;
  let users: unknown;
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    agent.call("POST", "/api/users", { token: admin.token, body, headers });
  before(async () => {
    agent = await startCheckedAgent();
    admin = await agent.signedInAdmin();
    users = (await agent.call("GET", "/api/users", { token: admin.token })).json;
  });
  afterEach(async () => {
    assert.deepEqual((await agent.call("GET", "/api/users", { token: admin.token })).json, users);
  });
  after(async () => {
    await assertServesOthers(agent);
    await agent.dispose();
  });

  for (const [code, bodies] of Object.entries(refused))
    for (const [name, body] of Object.entries(bodies))
      it(`${name}: ${code}`, async () => {
        const { status, json } = await post(body);
        // ajv names whichever is wrong first: a required member that is absent, or one that is too many.
        const codes = code === "validation_failed" ? [code, "unknown_field"] : [code];
        assert.equal(status, 400);
        assert.ok(codes.includes(json.code), json.code);
      });

  /** The answer to bytes that are sent as they are; strangers' without a token. */
  const sent = async (path: string, headers: readonly string[], bytes: Uint8Array) => {
    const head = requestText(`POST ${path}`, ["Content-Type: application/json", ...headers]);
    const all = Buffer.concat([Buffer.from(head), bytes]);
    const [answer = assert.fail("no answer")] = (await sendRaw(all, { port: agent.port, expect: 1 })).answers;
    agent.judge("POST", path, answer);
    return answer;
  };

  for (const [name, bytes] of Object.entries({
    "invalid UTF-8": Buffer.from('{"username":"intru\xffder","role":"admin"}', "latin1"),
    "an overlong encoding": Buffer.from([0x7b, 0xc0, 0xa2, 0x7d]),
    "a lone surrogate": Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    "UTF-16": Buffer.from(JSON.stringify(newUser), "utf16le"),
  }))
    it(`${name}: malformed_json`, async () => {
      const headers = [`Authorization: Bearer ${admin.token}`, `Content-Length: ${bytes.length}`];
      const { status, json } = await sent("/api/users", headers, bytes);
      assert.deepEqual([status, json.code], [400, "malformed_json"]);
    });

  it("of exactly 64 KiB is read and judged; of one byte more it is 413", async () => {
    assert.equal((await post(jsonOf(limitBytes))).json.code, "validation_failed");
    const { status, json } = await post(jsonOf(limitBytes + 1));
    assert.deepEqual([status, json.code], [413, "payload_too_large"]);
  });

  it("of a stranger's of exactly 4 KiB is read and judged; of one byte more it is 413 (512 of them would be held)", async () => {
    const strangers = (bytes: number) => agent.call("POST", "/api/auth/login", { body: jsonOf(bytes) });
    assert.equal((await strangers(4_096)).json.code, "validation_failed");
    const { status, json } = await strangers(4_097);
    assert.deepEqual([status, json.code], [413, "payload_too_large"]);
    const { token } = admin;
    const signedIn = await agent.call("POST", "/api/auth/login", { token, body: jsonOf(limitBytes) });
    assert.equal(signedIn.json.code, "validation_failed");
  });

  it("that is oversize in chunks, with no length announced, is 413", async () => {
    const chunks = Buffer.from(`${`4000\r\n${"x".repeat(0x4000)}\r\n`.repeat(5)}0\r\n\r\n`);
    const { json } = await sent("/api/auth/login", ["Transfer-Encoding: chunked"], chunks);
    assert.equal(json.code, "payload_too_large");
  });

  it("with a password of 10 MB is 413 or the connection closes, and others are served meanwhile", async () => {
    const body = JSON.stringify({ username: "root-admin", password: "x".repeat(10_000_000) });
    const length = `Content-Length: ${body.length}`;
    const text = requestText("POST /api/auth/login", ["Content-Type: application/json", length], body);
    const sent = sendRaw(text, { port: agent.port, expect: 1 });
    await assertServesOthers(agent);
    const { answers, isClosed } = await sent;
    assert.ok(answers[0]?.status === 413 || (answers.length === 0 && isClosed));
  });

  const others = [
    ...[
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/json",
      "",
    ],
    ...[
      "application/json; charset=latin1",
      "application/json; charset=utf-16",
      "application/json, text/plain",
    ],
    ...["application/json; charset=utf-8; charset=utf-7", "application/jsonp"],
  ];
  for (const type of others)
    it(`as ${type || "nothing"}: 415`, async () => {
      const { status, json } = await post(JSON.stringify(newUser), { "content-type": type });
      assert.deepEqual([status, json.code], [415, "unsupported_media_type"]);
    });

  const taken = ';charset=utf8|; charset="UTF-8"|; Charset=UTF-8|; charset=utf-8;|;|; odata=verbose';
  for (const type of taken.split("|").map((parameters) => `Application/json${parameters}`))
    it(`as ${type}, in Content-Encoding identity: read and judged`, async () => {
      const headers = { "content-type": type, "content-encoding": "Identity" };
      const { status, json } = await post("{}", headers);
      assert.deepEqual([status, json.code], [400, "validation_failed"]);
    });

  for (const encoding of ["gzip", "br", "identity, gzip"])
    it(`in Content-Encoding ${encoding}: 415 (compression bomb)`, async () => {
      const bytes = gzipSync("x".repeat(1_000_000));
      const headers = [`Content-Encoding: ${encoding}`, `Content-Length: ${bytes.length}`];
      assert.equal((await sent("/api/auth/login", headers, bytes)).json.code, "unsupported_media_type");
    });

  it("on a GET changes nothing and is passed over", async () => {
    const { status } = await agent.call("GET", "/api/users", { token: admin.token, body: { role: "admin" } });
    assert.equal(status, 200);
  });

  it("that breaks off is the client's doing: no error of the agent's", async () => {
    const socket = await openSilently(agent.port);
    const head = ["Content-Type: application/json", "Content-Length: 100", "X-Request-Id: broke-off.1"];
    socket.write(requestText("POST /api/auth/login", head, '{"username":'));
    await agent.call("GET", "/api/health");
    socket.destroy();
    await untilLogged(
      agent,
      /"severity":"info","message":"POST \/api\/auth\/login","status":408,"request_id":"broke-off\.1"/,
    );
  });
});
