import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { until } from "../../../lab/basics/until.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Actor, StreamSource } from "../../../src/http/call.ts";
import { createLastingRequests, type LastingRequests } from "../../../src/http/wire/lasting-requests.ts";
import { sendStream } from "../../../src/http/wire/streams.ts";
import { listen } from "../fixture.ts";

interface Begin {
  readonly actor?: Actor;
  readonly signal?: AbortSignal;
  readonly source?: StreamSource;
}

interface Setting {
  port: number;
  requests: LastingRequests;
  refusals: unknown[];
}

const silent: StreamSource = () => () => undefined;

/** A server whose every request is answered with a stream. */
async function serve(test: TestContext, begin: Begin | (() => Begin) = {}): Promise<Setting> {
  const requests = createLastingRequests();
  const refusals: unknown[] = [];
  const server = createServer((_request, response) => {
    const given = typeof begin === "function" ? begin() : begin;
    const { actor = { kind: "local-root" }, source = silent } = given;
    try {
      const requireStill = async () => undefined;
      const lasting = requests.begin({ response, actor, isStream: true, requireStill });
      sendStream(response, source, given.signal ?? lasting.signal);
    } catch (error) {
      refusals.push(error);
      response.writeHead(429).end();
    }
  });
  return { port: await listen(test, server), requests, refusals };
}

/** A user, by one session. */
const anna = {
  kind: "user",
  account: { id: "anna", username: "anna", role: "readonly" },
  session: { id: "1" },
} as unknown as Actor;

describe("a stream", () => {
  it("is text/event-stream of no length, and its messages have id, event and one data line", async (test) => {
    const source: StreamSource = (send) => {
      send({ id: "7", event: "event", data: { text: "two\nlines" } });
      send({ data: { second: true } });
      return () => undefined;
    };
    const { port } = await serve(test, { source });
    const stream = await openStream({ where: port, path: "/" });
    assert.equal(await stream.until(2), true, "the messages came");
    assert.equal(stream.headers["content-type"], "text/event-stream");
    assert.equal(stream.headers["x-accel-buffering"], "no");
    assert.equal(stream.headers["content-length"], undefined);
    const expected =
      'retry: 2000\n\nid: 7\nevent: event\ndata: {"text":"two\\nlines"}\n\ndata: {"second":true}\n\n';
    assert.equal(stream.text(), expected);
    stream.close();
  });

  it("stops its source when the client goes", async (test) => {
    let hasStopped = false;
    const source: StreamSource = () => () => {
      hasStopped = true;
    };
    const { port } = await serve(test, { source });
    const stream = await openStream({ where: port, path: "/" });
    stream.close();
    await until("the source is stopped", () => hasStopped);
  });

  it("ends when its source ends it, also while it begins", async (test) => {
    let stops = 0;
    const source: StreamSource = (send, end) => {
      send({ data: {} });
      end();
      return () => {
        stops += 1;
      };
    };
    const { port } = await serve(test, { source });
    const stream = await openStream({ where: port, path: "/" });
    await stream.ended;
    assert.deepEqual([stream.messages.length, stops], [1, 1]);
  });

  it("ends, and its source with it, when its caller may no longer have it", async (test) => {
    let hasStopped = false;
    const source: StreamSource = () => () => {
      hasStopped = true;
    };
    const ending = new AbortController();
    const { port } = await serve(test, { source, signal: ending.signal });
    const stream = await openStream({ where: port, path: "/" });
    ending.abort();
    await stream.ended;
    assert.ok(hasStopped);
  });

  it("shows a sign of life every 15 seconds", async (test) => {
    test.mock.timers.enable({ apis: ["setInterval"] });
    const { port } = await serve(test);
    const stream = await openStream({ where: port, path: "/" });
    for (let seconds = 0; seconds < 30; seconds += 1) {
      test.mock.timers.tick(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until("two signs came", () => stream.text() === "retry: 2000\n\n:\n\n:\n\n");
    stream.close();
  });

  it("to a reader that does not read is ended at a mebibyte, and costs no more", async (test) => {
    let sent = 0;
    let hasStopped = false;
    const source: StreamSource = (send) => {
      const timer = setInterval(() => {
        sent += 1;
        send({ data: { text: "x".repeat(64 * 1024) } });
      }, 1);
      return () => {
        hasStopped = true;
        clearInterval(timer);
      };
    };
    const { port } = await serve(test, { source });
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until("it is ended", () => hasStopped);
    test.diagnostic(`${sent} messages of 64 KiB were sent, the kernel's buffers included`);
    socket.destroy();
  });

  it("waits, where its source asks, until the reader has taken what was sent", async (test) => {
    let pages = 0;
    const source: StreamSource = (send, end, drained) => {
      void (async () => {
        for (; pages < 100; pages += 1) {
          send({ data: { text: "x".repeat(500_000) } });
          await drained();
        }
        end();
      })();
      return () => undefined;
    };
    const { port } = await serve(test, { source });
    const stream = await openStream({ where: port, path: "/" });
    await stream.ended;
    assert.equal(stream.messages.length, 100);
  });
});

describe("the number of streams", () => {
  it("is three a session; a fourth is refused until one has ended", async (test) => {
    const { port, refusals } = await serve(test, { actor: anna });
    const open = await Promise.all([1, 2, 3].map(() => openStream({ where: port, path: "/" })));
    const fourth = await openStream({ where: port, path: "/" });
    assert.equal(fourth.status, 429);
    assert.match(String(refusals[0]), /This session has 3 event streams open.* End one of them/);
    open[0]?.close();
    const isFree = async () => {
      const stream = await openStream({ where: port, path: "/" });
      return stream.status === 200;
    };
    await until("the place is given back", isFree);
  });
});

describe("a stop", () => {
  it("ends every stream at once, also those that are not read", async (test) => {
    const { port, requests } = await serve(test);
    const open = await Promise.all([1, 2, 3].map(() => openStream({ where: port, path: "/" })));
    // Nor after the time at which what does not end is cut off.
    test.mock.timers.enable({ apis: ["setTimeout"] });
    requests.endStreams(new StewardError("shutting_down", "now"));
    await Promise.all(open.map(({ ended }) => ended));
  });
});
