import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import { problem } from "../../src/contract/shapes.ts";
import { assertFits } from "../agents/answer-validators.ts";
import { requestText, sendRaw } from "../agents/raw-http.ts";
import { bytes, spoiltBytes, texts, weighed } from "./arbitraries.ts";
import { judgeCases, type Outcomes } from "./cases.ts";

/** The mark of an answer to a request that is hidden in another one's body. */
const mark = "smuggled-request";
const hidden = requestText("GET /api/version", [`X-Request-Id: ${mark}`]);
const json = "Content-Type: application/json";

/** Milliseconds until the agent must have answered or ended a connection on which nothing more will come. */
const longestMilliseconds = 60_000;

/** Bytes to the socket that are no request, or almost one: refused, or answered once at most, and the connection ends. */
export function fuzzPort(cases: number, port: number): Promise<Outcomes> {
  return judgeCases(cases, connections, async (sent) => {
    const { answers, isClosed, text } = await sendRaw(sent, {
      ...{ port, isEnding: true, milliseconds: longestMilliseconds },
    });
    assert.ok(isClosed, "the connection is still open");
    assert.doesNotMatch(text, /HTTP\/1\.1 5\d\d/);
    assert.ok(!text.includes(mark), "what was hidden in a body was read as a request");
    for (const { status, headers, json: answered } of answers.filter(({ status }) => status >= 400)) {
      assert.equal(headers["content-type"], "application/problem+json", `the type of ${status}`);
      if (answered !== undefined) assertFits(problem, answered, String(status));
    }
    return answers.length === 0 ? "closed" : answers.map(({ status }) => String(status));
  });
}

const login = (lines: readonly string[], body: string): string =>
  requestText("POST /api/auth/login", [json, ...lines], body);

const goodRequest = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("GET", "HEAD", "OPTIONS"),
      fc.constantFrom("/api/version", "/api/users", "/", "/api/events/stream", "/api/openapi.json"),
    )
    .map((words) => requestText(words.join(" "))),
  fc
    .constantFrom('{"username":"a","password":"b"}', "{}", "")
    .map((body) => login([`Content-Length: ${body.length}`], body)),
);

/**
 * Lengths that contradict each other: RFC 9112 §6.3 has them refused, and what is behind is no request. That is
 * between the two lengths, so that one who believes the shorter one reads a request.
 */
const smuggling = fc
  .record({
    name: fc.constantFrom(
      ...["Transfer-Encoding", "transfer-encoding", "Transfer-Encoding ", "TRANSFER-ENCODING"],
    ),
    coding: fc.constantFrom("chunked", "Chunked", "x, chunked", "chunked, x", "\tchunked", "chunked;q=1"),
    length: fc.constantFrom(
      ...["4", "0", "+4", "0x4", "4, 4", "4 ", "-4", "4\u000b", "00000000000000000004", "1e1"],
    ),
    second: fc.option(fc.nat(59), { freq: 2 }),
    isReversed: fc.boolean(),
    body: fc.constantFrom("0\r\n\r\n", "4\r\nabcd\r\n0\r\n\r\n", "{}", "0\n\n", ""),
  })
  .map(({ name, coding, length, second, isReversed, body }) => {
    const lines = [`${name}: ${coding}`, `Content-Length: ${length}`];
    if (second !== null) lines.push(`Content-Length: ${second}`);
    return login(isReversed ? lines.reverse() : lines, `${body}${hidden}`);
  });

const headers = fc
  .tuple(
    fc.constantFrom(1, 10, 100, 3_000),
    fc.oneof(fc.constantFrom("Host", "X-A", "Cookie", "Accept", "Connection", "Expect", "Upgrade"), texts),
    fc.oneof(texts, fc.constantFrom("a".repeat(20_000), "a, ".repeat(5_000), "\u0000", " \r\n folded")),
  )
  .map(([count, name, text]) => {
    const line = `${name}: ${text.slice(0, 200_000 / count)}`;
    return requestText("GET /api/version", new Array(count).fill(line));
  });

const longSize = `2;${"e".repeat(20_000)}`;
const sizes = fc.constantFrom(
  ...["0", "2", "02", "-1", "0x2", "g", "", "ffffffffffffffff", "2;a=b", longSize, "2 "],
);
const ends = fc.constantFrom("\r\n", "\n", "\r", "");
const chunks = fc
  .tuple(
    fc.array(fc.tuple(sizes, ends, fc.constant("{}"), ends), { minLength: 1, maxLength: 4 }),
    fc.constantFrom("0\r\n\r\n", "0\r\nX-A: b\r\n\r\n", "0\r\nContent-Length: 9\r\n\r\n", ""),
  )
  .map(([pieces, trailer]) => login(["Transfer-Encoding: chunked"], `${pieces.flat().join("")}${trailer}`));

const latin1 = (text: Arbitrary<string>): Arbitrary<Buffer> =>
  text.map((sent) => Buffer.from(sent, "latin1"));
const pipeline = fc
  .array(goodRequest, { minLength: 1, maxLength: 20 })
  .chain((requests) => spoiltBytes(Buffer.from(requests.join(""))));

const others = fc.oneof(bytes(0, 2_000), pipeline, latin1(headers), latin1(chunks));
const connections = weighed([2, latin1(smuggling)], [4, others]);
