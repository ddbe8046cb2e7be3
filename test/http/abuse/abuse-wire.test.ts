import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  assertServesOthers,
  type CheckedAgent,
  startCheckedAgent,
} from "../../../lab/agents/checked-agent.ts";
import { type RawAnswers, requestText, sendRaw } from "../../../lab/agents/raw-http.ts";

const json = "Content-Type: application/json";
const host = "Host: 127.0.0.1";
const login = "POST /api/auth/login";
const hidden = requestText("GET /api/version", ["X-Request-Id: smuggled"]);

const chunked = "Transfer-Encoding: chunked";
const sent = (header: string, others: readonly string[] = [], body = "{}") =>
  requestText(login, [json, header, ...others], body);

/** Each is answered by one 400 problem and a close; nothing behind it is read as a request. */
const malformed: Record<string, string> = {
  "garbage from the first byte": "\u0000\u0001\u0002garbage\r\n\r\n",
  "a TLS hello": "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001",
  "an HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "an SSH banner": "SSH-2.0-OpenSSH_9.7\r\n",
  "an unknown method": `FROB /api/version HTTP/1.1\r\n${host}\r\n\r\n`,
  "a method in lower case": `get /api/version HTTP/1.1\r\n${host}\r\n\r\n`,
  "HTTP/3.0": `GET /api/version HTTP/3.0\r\n${host}\r\n\r\n`,
  "a target without a slash": `GET api/version HTTP/1.1\r\n${host}\r\n\r\n`,
  "a NUL in the target": `GET /api/ver\u0000sion HTTP/1.1\r\n${host}\r\n\r\n`,
  "a blank in the target": `GET /api/ver sion HTTP/1.1\r\n${host}\r\n\r\n`,
  "a NUL in a header": requestText("GET /api/version", ["X-A: a\u0000b"]),
  "a header without a colon": requestText("GET /api/version", ["nonsense"]),
  "a blank before the colon": sent("Content-Length : 2"),
  "a header name with a blank": requestText("GET /api/version", ["X A: b"]),
  "a folded header": requestText("GET /api/version", ["X-A: b", " c"]),
  "a bare line feed in a header": requestText("GET /api/version", ["X-A: b\nX-B: c"]),
  "Transfer-Encoding and Content-Length (request smuggling)": sent(
    "Content-Length: 4",
    [chunked],
    `0\r\n\r\n${hidden}`,
  ),
  "Content-Length and Transfer-Encoding, the other way round": sent(
    chunked,
    ["Content-Length: 4"],
    `0\r\n\r\n${hidden}`,
  ),
  "two Content-Lengths (request smuggling)": sent("Content-Length: 2", ["Content-Length: 40"], `{}${hidden}`),
  "a Content-Length twice in one line": sent("Content-Length: 2, 2"),
  "a negative Content-Length": sent("Content-Length: -1"),
  "a Content-Length with a plus": sent("Content-Length: +2"),
  "a Content-Length in hexadecimal": sent("Content-Length: 0x2"),
  "a Content-Length beyond 64 bits": sent("Content-Length: 99999999999999999999"),
  "chunked twice over": sent("Transfer-Encoding: chunked, chunked", [], "0\r\n\r\n"),
  "a transfer coding that is not known": sent("Transfer-Encoding: gzip", [], "0\r\n\r\n"),
  "chunked before another coding": sent("Transfer-Encoding: chunked, gzip", [], "0\r\n\r\n"),
  "an obscured chunked": sent("Transfer-Encoding: xchunked", [], `0\r\n\r\n${hidden}`),
  "a chunk size that is no number": sent(chunked, [], "zz\r\n{}\r\n0\r\n\r\n"),
  "a chunk size that is negative": sent(chunked, [], "-2\r\n{}\r\n0\r\n\r\n"),
  "a chunk longer than its size": sent(chunked, [], "1\r\n{}\r\n0\r\n\r\n"),
  CONNECT: `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n\r\n`,
  "CONNECT with a tunnel's bytes behind it": `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n\r\nSSH-2.0-x\r\n`,
};

describe("bytes that are not an HTTP request", () => {
  let agent: CheckedAgent;
  before(async () => {
    agent = await startCheckedAgent();
    await agent.signedInAdmin();
  });
  after(async () => {
    await assertServesOthers(agent);
    await agent.dispose();
  });
  const send = async (bytes: string): Promise<RawAnswers> => {
    const result = await sendRaw(Buffer.from(bytes, "latin1"), { port: agent.port });
    for (const answer of result.answers) agent.judge("GET", "/api/unknown", answer);
    return result;
  };

  for (const [name, bytes] of Object.entries(malformed))
    it(`${name} is one 400 problem and a close`, async () => {
      const { answers, isClosed, text } = await send(bytes);
      assert.equal(isClosed, true, `still open after: ${text.slice(0, 100)}`);
      assert.deepEqual([answers.length, answers[0]?.status], [1, 400], text.slice(0, 300));
      assert.equal(answers[0]?.json.code, "malformed_request");
      assert.ok(!text.includes("smuggled"), "what was hidden in the body was read as a request");
    });

  for (const [name, headers] of Object.entries({
    "one header of 20 KB": [`X-A: ${"a".repeat(20_000)}`],
    "3,000 headers": Array.from({ length: 3_000 }, (_, index) => `X-${index}: a`),
    "one header of 2 MB": [`X-A: ${"a".repeat(2_000_000)}`],
    "a cookie of 17 KB": [`Cookie: a=${"b".repeat(17_000)}`],
  }))
    it(`a flood of headers is 431 and a close: ${name}`, async () => {
      const { answers, isClosed } = await send(requestText("GET /api/version", headers));
      assert.deepEqual([answers.length, answers[0]?.status, isClosed], [1, 431, true]);
      assert.equal(answers[0]?.json.code, "headers_too_large");
    });

  it("a header of 15 KB is still taken", async () => {
    const headers = { "x-padding": "a".repeat(15_000) };
    assert.equal((await agent.call("GET", "/api/version", { headers })).status, 200);
  });

  describe("behind requests that are right", () => {
    it("garbage: the requests are answered in order, then a 400 problem, then the close", async () => {
      const good = ["version", "users", "health"].map((name) => requestText(`GET /api/${name}`));
      const { answers, isClosed } = await sendRaw(`${good.join("")}GARBAGE\r\n\r\n`, { port: agent.port });
      const found = answers.map(({ status }) => status);
      assert.deepEqual(found, [200, 401, 200, 400]);
      assert.equal(isClosed, true);
    });
    it("a broken body behind an answer that takes time comes second, then the close", async () => {
      const body = '{"username":"nobody","password":"of a likely length"}';
      // A password is being checked: nor does garbage overtake it.
      const slow = requestText(login, [json, `Content-Length: ${body.length}`], body);
      for (const broken of ["GARBAGE\r\n\r\n", requestText(login, [json, chunked], "zz\r\n")]) {
        const { answers, isClosed } = await sendRaw(slow + broken, { port: agent.port });
        assert.deepEqual([answers.map(({ status }) => status), isClosed], [[401, 400], true]);
      }
    });
  });

  it("Expect: 100-continue gets its interim answer and then the real one; anything else is passed over", async () => {
    for (const [expected, first] of [
      ["100-continue", /^HTTP\/1\.1 100 Continue\r\n/],
      ["pigs-fly", /^HTTP\/1\.1 400 /],
    ] as const) {
      const bytes = requestText(login, [json, `Expect: ${expected}`, "Content-Length: 2"], "{}");
      const { answers, text } = await sendRaw(bytes, { port: agent.port, expect: 1 });
      assert.match(text, first);
      assert.deepEqual([answers.length, answers[0]?.status], [1, 400]);
    }
  });

  it("an offer to upgrade is passed over", async () => {
    const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];
    const bytes = requestText("GET /api/version", offer);
    const { answers } = await sendRaw(bytes, { port: agent.port, expect: 1 });
    assert.equal(answers[0]?.status, 200);
  });
});
