import assert from "node:assert/strict";
import { createServer } from "node:http";
import { before, describe, it, type TestContext } from "node:test";
import { checkAnswer } from "../../../lab/agents/answer-rules.ts";
import { requestText, sendRaw } from "../../../lab/agents/raw-http.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { readJson, strangersBody, usualBody } from "../../../src/http/read-json.ts";
import { keepPlace } from "../../../src/http/wire/connection-places.ts";
import { type RequestListener, trackConnections } from "../../../src/http/wire/connections.ts";
import { listen } from "../fixture.ts";

const json = "Content-Type: application/json";

/** The listener's own code with its ten and 25 seconds made short. */
describe("a request that does not come to its end", () => {
  const suite = endOfSuite();
  let port: number;
  const seen: string[] = [];
  before(async () => {
    const times = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
    const server = createServer({ ...times, requireHostHeader: false });
    const handle: RequestListener = (request, response) => {
      readJson(request, usualBody).then(
        () => response.end("read"),
        (error: unknown) => {
          seen.push(error instanceof StewardError ? error.code : String(error));
          response.writeHead(500).end();
        },
      );
    };
    trackConnections(server, { handle, maximum: 512, clientKeyOf: () => "one", now: () => new Date() });
    port = await listen(suite, server);
  });

  const cases: Record<string, string> = {
    "in its headers": "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: a",
    "in its body": requestText("POST /x", [json, "Content-Length: 100"], '{"a":'),
    "in the chunks of its body": requestText("POST /x", [json, "Transfer-Encoding: chunked"], "5\r\n"),
    "before the first byte of its body": requestText("POST /x", [json, "Content-Length: 100"]),
  };
  for (const [name, bytes] of Object.entries(cases))
    it(`${name} is one 408 problem and a close`, async () => {
      const { answers, isClosed } = await sendRaw(bytes, { port });
      assert.equal(isClosed, true, "still open");
      const found = answers.map(({ status }) => status);
      assert.deepEqual(found, [408]);
      for (const answer of answers) checkAnswer("POST", "/api/unknown", answer);
      assert.equal(answers[0]?.json.code, "request_timeout");
    });

  it("behind one that does, comes second", async () => {
    const whole = requestText("POST /x", [json, "Content-Length: 2"], "{}");
    const half = requestText("POST /x", [json, "Content-Length: 100"], "{");
    const { answers, isClosed } = await sendRaw(whole + half, { port });
    assert.deepEqual([answers.map(({ status }) => status), isClosed], [[200, 408], true]);
  });

  it("is a timeout to the reader of its body, and no other error", async () => {
    // The connection is read from for half a second after the refusal.
    await until("four bodies were given up", () => seen.length >= 4);
    assert.deepEqual([...new Set(seen)], ["request_timeout"]);
  });
});

describe("a stranger's body that does not come to its end", () => {
  it("is one 408 problem at its own deadline, long before the listener's", async (t) => {
    const refusals: unknown[] = [];
    const server = createServer();
    server.on("request", (request, response) => {
      readJson(request, { bytes: 4_096, milliseconds: 50 }).catch((error: unknown) => {
        refusals.push(error);
        response.writeHead(408, { connection: "close" }).end();
      });
    });
    const port = await listen(t, server);
    const bytes = requestText("POST /x", [json, "Content-Length: 9"], "{");
    const { answers, isClosed } = await sendRaw(bytes, { port });
    assert.deepEqual([answers[0]?.status, isClosed], [408, true]);
    assert.ok(refusals[0] instanceof StewardError);
    assert.equal(refusals[0].code, "request_timeout");
    assert.deepEqual(strangersBody, { bytes: 4_096, milliseconds: 5_000 });
  });
});

/** A server whose answers are held back until they are let go; every connection is of this account. */
async function startHolding(test: TestContext, account?: string) {
  const held: (() => void)[] = [];
  const server = createServer();
  if (account !== undefined) server.on("connection", (socket) => keepPlace(socket, account));
  const handle: RequestListener = (_request, response) => held.push(() => response.end("done"));
  trackConnections(server, { handle, maximum: 512, clientKeyOf: () => "one", now: () => new Date() });
  const port = await listen(test, server);
  const untilHeld = async (count: number) => {
    await until(`${count} are at work`, () => held.length >= count);
    assert.equal(held.length, count);
  };
  return { held, port, untilHeld };
}

describe("pipelined requests", () => {
  it("are handled one after another: none begins before the one before is answered", async (t) => {
    const { held, port, untilHeld } = await startHolding(t, "ana");
    const asked = sendRaw(requestText("GET /").repeat(64), { port, expect: 64 });
    for (let count = 1; count <= 64; count += 1) {
      await untilHeld(count);
      held[count - 1]?.();
    }
    assert.equal((await asked).answers.length, 64);
  });

  for (const [whose, account, most] of [
    ["an account", "ana", 64],
    ["a stranger", undefined, 4],
  ] as const)
    it(`of ${whose} end the connection where more than ${most} are under way (amplification: few bytes asked, many answered)`, async (t) => {
      const { held, port } = await startHolding(t, account);
      const { answers, isClosed } = await sendRaw(requestText("GET /").repeat(most + 1), { port });
      assert.deepEqual([answers.length, isClosed], [0, true]);
      assert.ok(held.length <= 1, `${held.length} were handled`);
    });

  it("of a stranger are answered where they are four", async (t) => {
    const { held, port, untilHeld } = await startHolding(t);
    const asked = sendRaw(requestText("GET /").repeat(4), { port, expect: 4 });
    for (let count = 1; count <= 4; count += 1) {
      await untilHeld(count);
      held[count - 1]?.();
    }
    assert.equal((await asked).answers.length, 4);
  });
});
