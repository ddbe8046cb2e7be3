import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { assertFits } from "../../../lab/agents/answer-validators.ts";
import { assertServesOthers, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { sendRaw } from "../../../lab/agents/raw-http.ts";
import { createChance } from "../../../lab/basics/chance.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { createClient } from "../../../lab/fuzz/api/client.ts";
import { fuzzAgent } from "../../../lab/fuzz/api/fuzz-api.ts";
import { fuzzPort } from "../../../lab/fuzz/socket.ts";
import { problem } from "../../../src/contract/shapes.ts";

const paths = ["/", "/api/version", "/api/users", "/api/auth/login", "/api/system", "/api/auth/me"];
const methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT", "M-SEARCH", ""];
const names = ["Host", "Content-Length", "Transfer-Encoding", "Content-Type", "Authorization", "Expect"];
const moreNames = ["Connection", "Accept", "If-Match", "If-None-Match", "X-Request-Id", "Cookie", "Upgrade"];

const texts = fc.string({ unit: "binary-ascii", maxLength: 24 });
const values = fc.oneof(
  fc.constantFrom(...'127.0.0.1|2|chunked|application/json|Bearer a.b.c|100-continue|close|*|"x"'.split("|")),
  texts,
);
const headers = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names, ...moreNames), texts), values), {
  maxLength: 6,
});
const targets = fc.tuple(
  fc.constantFrom("", "http://127.0.0.1", "http://[", "//a@[", "*"),
  fc.oneof(fc.constantFrom(...paths), texts),
  fc.oneof(fc.constant(""), texts),
);
const requests = fc
  .tuple(fc.constantFrom(...methods), targets, headers, fc.oneof(fc.json({ maxDepth: 3 }), texts))
  .map(([method, target, lines, body]) => {
    const head = [`${method} ${target.join("")} HTTP/1.1`, "Host: 127.0.0.1"];
    return `${[...head, ...lines.map(([name, value]) => `${name}: ${value}`)].join("\r\n")}\r\n\r\n${body}`;
  });

describe("bytes at random", () => {
  const agent = ofSuite(startCheckedAgent);
  before(() => agent.signedInAdmin());

  /** No 5xx, nothing but problem documents as errors, and the connection ends. */
  const assertHarmless = async (bytes: Uint8Array | string): Promise<void> => {
    const { answers, isClosed, text } = await sendRaw(bytes, { port: agent.port, isEnding: true });
    assert.ok(isClosed, "still open");
    assert.doesNotMatch(text, /HTTP\/1\.1 5\d\d/);
    for (const { status, headers, json } of answers) {
      assert.ok(status < 500, `answered ${status}`);
      if (status < 400) continue;
      assert.equal(headers["content-type"], "application/problem+json");
      if (json !== undefined) assertFits(problem, json, String(status));
    }
  };

  it("never crash it and never yield a 5xx: bytes", async () => {
    const bytes = fc.uint8Array({ maxLength: 2_000 });
    await fc.assert(fc.asyncProperty(bytes, assertHarmless), { numRuns: 50 });
  });

  it("never crash it and never yield a 5xx: pieces of requests, put together at random", async () => {
    await fc.assert(fc.asyncProperty(requests, assertHarmless), { numRuns: 150 });
  });

  it("never crash it and never yield a 5xx: two such behind each other on one connection", async () => {
    const pairs = fc.tuple(requests, requests).map(([first, second]) => first + second);
    await fc.assert(fc.asyncProperty(pairs, assertHarmless), { numRuns: 50 });
  });

  it("never crash it and never yield a 5xx: any JSON as a body of any change", async () => {
    const bodies = fc.json({ maxDepth: 5 });
    const targets = fc.constantFrom(
      "PUT /api/system",
      "POST /api/users",
      ...["login", "refresh"].map((one) => `POST /api/auth/${one}`),
      "POST /api/setup",
    );
    await fc.assert(
      fc.asyncProperty(targets, bodies, async (target, body) => {
        const [method = "", path = ""] = target.split(" ");
        const { status } = await agent.call(method, path, { body, local: true });
        assert.ok(status < 500, `${target} answered ${status}`);
      }),
      { numRuns: 80 },
    );
  });

  it("leave it as it was: one administrator, and others are served", async () => {
    assert.equal((await agent.call("GET", "/api/users", { local: true })).json.total, 1);
    await assertServesOthers(agent);
  });

  it("in sequences by every role, and on the socket, keep every rule that make fuzz holds them to", async () => {
    const { bench } = await fuzzAgent(createChance(1), 150, createClient(agent));
    assert.deepEqual(bench.findings, []);
    await fuzzPort(40, agent.port);
  });
});
