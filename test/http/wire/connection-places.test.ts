import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { requestText, sendRaw } from "../../../lab/agents/raw-http.ts";
import { until } from "../../../lab/basics/until.ts";
import { firstToGo, type HeldConnection, keepPlace } from "../../../src/http/wire/connection-places.ts";
import { type RequestListener, trackConnections } from "../../../src/http/wire/connections.ts";
import { listen } from "../fixture.ts";

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

interface Many extends Partial<HeldConnection> {
  count: number;
  name: string;
}

/** Occupants in the order in which they came, and the name of the one that has to go among 16 places. */
function goesFirst(...groups: readonly Many[]): string | undefined {
  let lastActivity = 0;
  const occupants = groups.flatMap(({ count, name, ...facts }) =>
    Array.from({ length: count }, (_, index) => {
      lastActivity += 1;
      const usual = { account: undefined, clientKey: "one", isUnfinished: true, lastActivity };
      return { ...usual, ...facts, name: `${name} ${index}` };
    }),
  );
  return firstToGo(occupants, 16)?.name;
}

describe("where one connection of 17 is too many", () => {
  const answered = { isUnfinished: false };
  for (const [what, expected, groups] of [
    ["the oldest unfinished one goes", "half 0", [{ count: 17, name: "half" }]],
    [
      "an unfinished one goes before those that are answered and were there before",
      "half 0",
      [
        { count: 12, name: "answered", ...answered },
        { count: 5, name: "half" },
      ],
    ],
    [
      "one of those that are answered goes when they leave no place to ask from",
      "answered 0",
      [
        { count: 13, name: "answered", ...answered },
        { count: 4, name: "half" },
      ],
    ],
    [
      "a stranger's goes before one that carried a token and is idle",
      "half 0",
      [
        { count: 8, name: "anna's", account: "anna" },
        { count: 9, name: "half" },
      ],
    ],
    [
      "of those with tokens, the one that is idle goes, of the account that holds most",
      "the insider's idle 0",
      [
        { count: 1, name: "anna's", account: "anna" },
        { count: 10, name: "the insider's stream", account: "insider", ...answered },
        { count: 2, name: "the insider's idle", account: "insider" },
        { count: 4, name: "half" },
      ],
    ],
    [
      "of unfinished ones, the oldest of the client that holds most goes",
      "loud 0",
      [
        { count: 1, name: "quiet", clientKey: "two" },
        { count: 16, name: "loud" },
      ],
    ],
    [
      "where no client holds much, the oldest of all goes",
      "first 0",
      [
        { count: 1, name: "first", clientKey: "zero" },
        ...Array.from({ length: 16 }, (_, index) => ({ count: 1, name: "each", clientKey: `${index}` })),
      ],
    ],
  ] as const)
    it(what, () => assert.equal(goesFirst(...groups), expected));

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
