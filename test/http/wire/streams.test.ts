import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { connect as connectSecurely } from "node:tls";
import { promisify } from "node:util";
import type Koa from "koa";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { until } from "../../../lab/basics/until.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Actor, StreamSource } from "../../../src/http/call.ts";
import { sendBytes } from "../../../src/http/wire/byte-answers.ts";
import { createLastingRequests } from "../../../src/http/wire/lasting-requests.ts";
import { checkStreamPlaces } from "../../../src/http/wire/stream-places.ts";
import { sendStream } from "../../../src/http/wire/streams.ts";
import { listen, ownCertificate } from "../fixture.ts";

const run = promisify(execFile);
const piece = Buffer.alloc(100_000, "b");

describe("bytes that are made while they are sent", () => {
  const pair = ownCertificate("one");

  /** A server whose answer is `pieces`, and what became of that. */
  async function served(test: TestContext, isSecure: boolean, pieces: () => AsyncIterable<Uint8Array>) {
    const outcome = { hasBegun: false, isTaken: false, isSent: false, isClosed: false, failure: "" };
    const is = (name: "isTaken" | "isSent" | "isClosed") => () => {
      outcome[name] = true;
    };
    const ending = new AbortController();
    const handle = (req: IncomingMessage, res: ServerResponse): void => {
      outcome.hasBegun = true;
      req.socket.once("close", is("isClosed"));
      const given = { pieces: pieces(), sent: async () => is("isSent")(), taken: is("isTaken") };
      const options = { mediaType: "application/octet-stream", signal: ending.signal };
      sendBytes({ req, res } as Koa.Context, given, options).catch((error: Error) => {
        outcome.failure = error.message;
      });
    };
    const port = await listen(test, isSecure ? createSecure(pair, handle) : createServer(handle));
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
  for (const version of ["1.0", "1.1"])
    it(`that break off, or must end, are no whole answer over HTTP/${version}, which a program sees`, async (test) => {
      for (const [pieces, why] of [
        [broken, "the disk"],
        [endless, "the right is lost"],
      ] as const) {
        const { port, outcome, ending } = await served(test, false, pieces);
        const asking = run("curl", [
          "-sS",
          `--http${version}`,
          "-o",
          "/dev/null",
          `http://127.0.0.1:${port}`,
        ]);
        const refused = assert.rejects(asking, /reset by peer/);
        await until("it has begun", () => outcome.hasBegun);
        if (pieces === endless) ending.abort(new Error(why));
        await refused;
        await until("it is known", () => outcome.failure === why);
        assert.deepEqual([outcome.isTaken, outcome.isSent], [false, false]);
      }
    });
});

type Role = "admin" | "operator" | "readonly";

const root: Actor = { kind: "local-root" };

/** A user by a session, and by an API token. */
function user(id: string, session = "1", role: Role = "readonly"): Actor {
  const account = { id, username: id, role };
  return { kind: "user", account, session: { id: `${id} ${session}` } } as unknown as Actor;
}
function program(id: string, token: string, role: Role = "readonly"): Actor {
  return { kind: "token", account: { id, username: id, role }, token: { id: token } } as unknown as Actor;
}

const times = (count: number, actor: Actor) => Array<Actor>(count).fill(actor);
const users = (count: number, role: Role) =>
  Array.from({ length: count }, (_, index) => user(`${role} ${index}`, "1", role));

/** The streams that are open, who asks for another one, and the limit that is reached; null: none is. */
const rows: [what: string, open: Actor[], next: Actor, limit: RegExp | null][] = [
  ["a third of a session", times(2, user("ana")), user("ana"), null],
  ["a fourth of a session", times(3, user("ana")), user("ana"), /^This session has 3 .* End one of them/],
  ["a third of a token", times(2, program("ana", "a")), program("ana", "a"), null],
  ["a fourth of a token", times(3, program("ana", "a")), program("ana", "a"), /^This API token has 3 /],
  ["one of another session", times(3, user("ana")), user("ana", "2"), null],
  ["one of another token", times(3, program("ana", "a")), program("ana", "b"), null],
  ["a sixth of a user", [...times(3, user("ana")), ...times(2, program("ana", "a"))], user("ana", "2"), null],
  [
    "a seventh of a user",
    [...times(3, user("ana")), ...times(3, program("ana", "a"))],
    user("ana", "2"),
    /^The sessions and API tokens of "ana" together have 6 .* End one of them/,
  ],
  ["one of another user", [...times(3, user("ana")), ...times(3, user("ana", "2"))], user("ben"), null],
  ["a 32nd of those who are no administrators", users(31, "operator"), user("ana"), null],
  [
    "a 33rd of those who are no administrators",
    [...users(16, "operator"), ...users(16, "readonly")],
    program("ana", "a", "operator"),
    /^Users who are not administrators have 32 .* ask an administrator/,
  ],
  ["an administrator's beside these", users(32, "operator"), program("ana", "a", "admin"), null],
  [
    "a 48th of all users, beside local root's",
    [...users(32, "operator"), ...users(15, "admin"), ...times(16, root)],
    user("ana", "1", "admin"),
    null,
  ],
  [
    "a 49th of all",
    [...users(32, "operator"), ...users(16, "admin")],
    user("ana", "1", "admin"),
    /^All users together have 48 /,
  ],
  ["a 49th, of no administrator", users(48, "admin"), user("ana"), /^All users together have 48 /],
  ["local root's beside those of all users", [...users(48, "admin"), ...times(15, root)], root, null],
  ["a 17th of local root", times(16, root), root, /^Local root has 16 /],
];

describe("a further event stream", () => {
  for (const [what, open, next, limit] of rows)
    it(`${limit === null ? "has a place" : "is refused"}: ${what}`, () => {
      const check = () => checkStreamPlaces(open, next);
      if (limit === null) return check();
      assert.throws(check, ({ code, message, details }: StewardError) => {
        assert.deepEqual([code, details.retryAfterSeconds], ["rate_limited", 5]);
        assert.match(message, limit);
        return true;
      });
    });
});

interface Begin {
  readonly actor?: Actor;
  readonly signal?: AbortSignal;
  readonly source?: StreamSource;
}

const silent: StreamSource = () => () => undefined;

/** A server whose every request is answered with a stream. */
async function serve(
  test: TestContext,
  { actor = { kind: "local-root" }, source = silent, signal }: Begin = {},
) {
  const requests = createLastingRequests();
  const refusals: unknown[] = [];
  const requireStill = async () => undefined;
  const server = createServer((_request, response) => {
    try {
      const lasting = requests.begin({ response, actor, isStream: true, requireStill });
      sendStream(response, source, signal ?? lasting.signal);
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

  it("stops its source when the client goes, and ends with it when its caller may no longer have it", async (test) => {
    let stops = 0;
    const source: StreamSource = () => () => {
      stops += 1;
    };
    const ending = new AbortController();
    const { port } = await serve(test, { source, signal: ending.signal });
    (await openStream({ where: port, path: "/" })).close();
    await until("the source is stopped", () => stops === 1);
    const stream = await openStream({ where: port, path: "/" });
    ending.abort();
    await stream.ended;
    assert.equal(stops, 2);
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
