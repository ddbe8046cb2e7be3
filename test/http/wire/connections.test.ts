import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { before, describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { checkAnswer } from "../../../lab/agents/answer-rules.ts";
import { requestText, sendRaw } from "../../../lab/agents/raw-http.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { readJson, strangersBody, usualBody } from "../../../src/http/read-json.ts";
import { firstToGo, type HeldConnection, keepPlace } from "../../../src/http/wire/connection-places.ts";
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
    for (const [account, count] of [
      ["ana", 64],
      [undefined, 4],
    ] as const) {
      const { held, port, untilHeld } = await startHolding(t, account);
      const asked = sendRaw(requestText("GET /").repeat(count), { port, expect: count });
      for (let begun = 1; begun <= count; begun += 1) {
        await untilHeld(begun);
        held[begun - 1]?.();
      }
      assert.equal((await asked).answers.length, count);
    }
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
});

/** Strangers keep 8 of these for unfinished and 8 for answered requests; those who carried tokens keep 16. */
const maximum = 32;

const halfBody = requestText("POST /x", ["Content-Type: application/json", "Content-Length: 100"], "{");
const halfHead = "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: a";

/**
 * A real server behind the rule. `/held` is never answered, the rest when it has arrived whole. An Authorization header
 * counts as a valid token of the account that it names.
 */
async function startServer(test: TestContext, clientKeyOf: (address?: string) => string = () => "one") {
  const server = createServer({ headersTimeout: 0, requestTimeout: 0 });
  const handle: RequestListener = (request, response) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) keepPlace(request.socket, authorization);
    request.once("end", () => request.url !== "/held" && response.end("done")).resume();
  };
  trackConnections(server, { handle, maximum, clientKeyOf, now: () => new Date() });
  const port = await listen(test, server, "::");
  const opened: Socket[] = [];
  test.after(() => {
    for (const socket of opened) socket.destroy();
  });
  const open = (bytes: string, localAddress?: string): Socket => {
    const socket = connect({ host: "127.0.0.1", port, ...(localAddress && { localAddress }) });
    opened.push(socket.on("error", () => undefined).resume());
    socket.write(bytes);
    return socket;
  };
  /** Settles when the server has taken the connections before it: they are taken in turn. */
  const ask = async (line = "GET /", headers: string[] = []): Promise<number | undefined> =>
    (await sendRaw(requestText(line, headers), { port, expect: 1 })).answers[0]?.status;
  return { port, open, ask };
}

/** Opens one again as soon as it learns that one is closed, until the test ends. */
function flood(test: TestContext, count: number, open: () => Socket): { reopened: () => number } {
  let isOver = false;
  let reopened = 0;
  const begin = (): void => {
    open().once("close", () => {
      if (isOver) return;
      reopened += 1;
      begin();
    });
  };
  for (let index = 0; index < count; index += 1) begin();
  test.after(() => {
    isOver = true;
  });
  return { reopened: () => reopened };
}

describe("the places of a listener", () => {
  for (const [what, bytes] of [
    ["bodies", halfBody],
    ["heads", halfHead],
    ["connections that say nothing", ""],
  ] as const)
    it(`are not held by unfinished ${what}: a request is answered, also while each is opened anew at once`, async (test) => {
      const { open, ask } = await startServer(test);
      const { reopened } = flood(test, 2 * maximum, () => open(bytes));
      for (let count = 0; count < 20; count += 1) assert.equal(await ask(), 200, `request ${count}`);
      assert.ok(reopened() >= maximum, `${reopened()} were opened anew`);
    });

  it("stay with a connection that carried a valid token, however many strangers come", async (test) => {
    const { open, ask, port } = await startServer(test);
    const mine = connect({ host: "127.0.0.1", port }).resume();
    test.after(() => mine.destroy());
    const asked = (): Promise<unknown> => {
      mine.write(requestText("GET /", ["Authorization: anna"]));
      return new Promise((resolve) => mine.once("data", resolve).once("close", resolve));
    };
    await asked();
    const { reopened } = flood(test, 2 * maximum, () => open(halfBody));
    await until("twice as many have come", () => reopened() >= 2 * maximum);
    assert.equal(mine.closed, false);
    await asked();
    assert.equal(mine.closed, false);
    assert.equal(await ask(), 200);
  });

  it("are not held by one account's tokens: others get in, and sign in", async (test) => {
    const { open, ask } = await startServer(test);
    flood(test, 2 * maximum, () => open(requestText("GET /held", ["Authorization: insider"])));
    for (let count = 0; count < 10; count += 1) {
      assert.equal(await ask("GET /", ["Authorization: anna"]), 200, `request ${count}`);
      assert.equal(await ask(), 200, `sign-in ${count}`);
    }
  });

  it("of one client are not taken by another's flood: an unfinished request outlives it", async (test) => {
    const keys = (address = "") => (address.endsWith("127.0.0.2") ? "quiet" : "loud");
    const { open, ask } = await startServer(test, keys);
    const slow = open(halfHead, "127.0.0.2");
    assert.equal(await ask(), 200);
    const { reopened } = flood(test, 2 * maximum, () => open(halfBody));
    await until("twice as many have come", () => reopened() >= 2 * maximum);
    slow.write("\r\nContent-Length: 0\r\n\r\n");
    const text = await new Promise((resolve) =>
      slow.once("data", (data) => resolve(String(data))).once("close", resolve),
    );
    assert.match(String(text), /^HTTP\/1\.1 200 /);
  });
});

/** By the names of groups below; the others are unfinished requests of strangers. */
const factsOf: Readonly<Record<string, Partial<HeldConnection>>> = {
  answered: { isUnfinished: false },
  "anna's": { account: "anna" },
  "the insider's stream": { account: "insider", isUnfinished: false },
  "the insider's idle": { account: "insider" },
  ...{ quiet: { clientKey: "two" }, first: { clientKey: "zero" } },
};

describe("where one connection of 17 is too many", () => {
  const each = Array.from({ length: 16 }, (_, index) => `1 each-${index}`).join(", ");
  /** The occupants in the order in which they came, and the one that has to go among 16 places. */
  for (const [what, groups, expected] of [
    ["the oldest unfinished one goes", "17 half", "half 0"],
    [
      "an unfinished one goes before those that are answered and came before",
      "12 answered, 5 half",
      "half 0",
    ],
    ["one that is answered goes when they leave no place to ask from", "13 answered, 4 half", "answered 0"],
    ["a stranger's goes before one that carried a token and is idle", "8 anna's, 9 half", "half 0"],
    [
      "of those with tokens, the one that is idle goes, of the account that holds most",
      "1 anna's, 10 the insider's stream, 2 the insider's idle, 4 half",
      "the insider's idle 0",
    ],
    ["of unfinished ones, the oldest of the client that holds most goes", "1 quiet, 16 loud", "loud 0"],
    ["where no client holds much, the oldest of all goes", `1 first, ${each}`, "first 0"],
  ] as const)
    it(what, () => {
      let lastActivity = 0;
      const occupants = groups.split(", ").flatMap((group) => {
        const [, count, name = ""] = /^(\d+) (.*)$/.exec(group) ?? [];
        const clientKey = name.startsWith("each") ? name : "one";
        return Array.from({ length: Number(count) }, (_, index) => {
          lastActivity += 1;
          const usual = { account: undefined, clientKey, isUnfinished: true, lastActivity };
          return { ...usual, ...factsOf[name], name: `${name} ${index}` };
        });
      });
      assert.equal(firstToGo(occupants, 16)?.name, expected);
    });

  it("and then another, those with tokens keep their half, and as many go as are too many", () => {
    const holder = fc.constantFrom("one", "two", "three");
    const account = fc.option(holder, { nil: undefined });
    const occupant = fc.record({
      account,
      clientKey: holder,
      isUnfinished: fc.boolean(),
      lastActivity: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(occupant, { maxLength: 40 }), (occupants) => {
        const staying = new Set(occupants);
        for (let first = firstToGo(staying, 16); first; first = firstToGo(staying, 16)) staying.delete(first);
        assert.equal(staying.size, Math.min(16, occupants.length));
        const withTokens = (all: Iterable<HeldConnection>) =>
          [...all].filter((one) => one.account !== undefined).length;
        assert.ok(withTokens(staying) >= Math.min(8, withTokens(occupants)));
      }),
    );
  });
});
