import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { connect as connectSecurely } from "node:tls";
import { promisify } from "node:util";
import type Koa from "koa";
import { until } from "../../../lab/basics/until.ts";
import { sendBytes } from "../../../src/http/wire/byte-answers.ts";
import { listen, ownCertificate } from "../fixture.ts";

const run = promisify(execFile);
const piece = Buffer.alloc(100_000, "b");

describe("bytes that are made while they are sent", () => {
  const pair = ownCertificate("one");

  /** A server whose answer is `pieces`, and what became of that. */
  async function served(test: TestContext, isSecure: boolean, pieces: () => AsyncIterable<Uint8Array>) {
    const outcome = { hasBegun: false, isTaken: false, isSent: false, isClosed: false, failure: "" };
    const ending = new AbortController();
    const answer = async (ctx: Koa.Context): Promise<void> => {
      outcome.hasBegun = true;
      ctx.req.socket.once("close", () => {
        outcome.isClosed = true;
      });
      const sent = async (): Promise<void> => {
        outcome.isSent = true;
      };
      const taken = (): void => {
        outcome.isTaken = true;
      };
      const options = { mediaType: "application/octet-stream", signal: ending.signal };
      await sendBytes(ctx, { pieces: pieces(), sent, taken }, options).catch((error: Error) => {
        outcome.failure = error.message;
      });
    };
    const handle = (req: unknown, res: unknown): void => void answer({ req, res } as Koa.Context);
    const server = isSecure ? createSecure(pair, handle) : createPlain(handle);
    const port = await listen(test, server);
    return { port, outcome, ending };
  }

  /** A client that has asked. */
  async function asked(test: TestContext, isSecure: boolean) {
    const { port, outcome } = await served(test, isSecure, whole);
    const socket: Socket = isSecure
      ? connectSecurely({ port, host: "127.0.0.1", rejectUnauthorized: false })
      : connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, isSecure ? "secureConnect" : "connect");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    return { socket, outcome };
  }

  async function* whole() {
    yield piece;
    yield piece;
  }

  for (const isSecure of [false, true]) {
    const over = isSecure ? "with TLS" : "without TLS";
    it(`are taken once the client has closed the connection in order, and not before, ${over}`, async (test) => {
      const { socket, outcome } = await asked(test, isSecure);
      let bytes = 0;
      socket.on("data", (data: Buffer) => {
        bytes += data.length;
      });
      await until("all of it is here", () => outcome.isSent && bytes > 2 * piece.length);
      if (!isSecure) assert.deepEqual([outcome.isTaken, outcome.isClosed], [false, false]);
      socket.end();
      await until("it is known", () => outcome.isTaken);
    });
    it(`are not taken by a client that ends with a part unread, ${over}`, async (test) => {
      const { socket, outcome } = await asked(test, isSecure);
      socket.pause();
      await until("all of it is sent", () => outcome.isSent || outcome.isClosed);
      socket.destroy();
      await until("the connection is gone", () => outcome.isClosed);
      assert.equal(outcome.isTaken, false);
    });
  }

  async function* broken() {
    yield piece;
    throw new Error("the disk");
  }
  async function* endless() {
    for (;;) {
      yield piece;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  for (const version of ["1.0", "1.1"]) {
    it(`that break off are no whole answer over HTTP/${version}, which a program sees`, async (test) => {
      const { port, outcome } = await served(test, false, broken);
      const url = `http://127.0.0.1:${port}`;
      await assert.rejects(run("curl", ["-sS", `--http${version}`, "-o", "/dev/null", url]), /reset by peer/);
      await until("it is known", () => outcome.failure === "the disk");
      assert.deepEqual([outcome.isTaken, outcome.isSent], [false, false]);
    });
    it(`that must end are none either over HTTP/${version}`, async (test) => {
      const { port, outcome, ending } = await served(test, false, endless);
      const url = `http://127.0.0.1:${port}`;
      const asking = run("curl", ["-sS", `--http${version}`, "-o", "/dev/null", url]);
      await until("it has begun", () => outcome.hasBegun);
      ending.abort(new Error("the right is lost"));
      await assert.rejects(asking, /reset by peer/);
      await until("it is known", () => outcome.failure === "the right is lost");
      assert.equal(outcome.isTaken, false);
    });
  }
});
