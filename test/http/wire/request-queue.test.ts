import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { requestText } from "../../../lab/agents/raw-http.ts";
import { until } from "../../../lab/basics/until.ts";
import { keepPlace } from "../../../src/http/wire/connection-places.ts";
import { trackConnections } from "../../../src/http/wire/connections.ts";
import { createRequestQueue } from "../../../src/http/wire/request-queue.ts";

/** A queue whose turns the test makes, and each of whose requests takes a millisecond or more. */
function virtualQueue() {
  let milliseconds = 0;
  const turns: (() => void)[] = [];
  const served: string[] = [];
  const queue = createRequestQueue(
    () => milliseconds,
    (turn) => turns.push(turn),
  );
  /** A connection with so many requests behind each other. */
  const add = (
    name: string,
    holder: { account?: string; client?: string },
    requests = 1,
    takes = 1,
  ): void => {
    let left = requests;
    const connection = {
      account: holder.account,
      clientKey: holder.client ?? "one",
      begin: (answered: () => void) => {
        served.push(name);
        milliseconds += takes;
        left -= 1;
        if (left > 0) queue.add(connection);
        answered();
      },
    };
    queue.add(connection);
  };
  return { served, add, turns, turn: () => turns.shift()?.() };
}

describe("the queue of requests", () => {
  it("begins no more in a turn of the event loop than a millisecond of work", () => {
    const { served, add, turns, turn } = virtualQueue();
    for (let index = 0; index < 4; index += 1) add("short", { client: `${index}` }, 1, 0.5);
    add("long", { client: "long" }, 1, 20);
    add("last", { client: "last" });
    const perTurn: number[] = [];
    while (turns.length > 0) {
      const before = served.length;
      turn();
      perTurn.push(served.length - before);
    }
    assert.deepEqual(perTurn, [2, 2, 1, 1]);
  });

  it("goes on in the next turn behind an answer that waits for something", () => {
    const turns: (() => void)[] = [];
    const begun: string[] = [];
    const queue = createRequestQueue(
      () => 0,
      (turn) => turns.push(turn),
    );
    const answers: (() => void)[] = [];
    for (const clientKey of ["one", "other", "third"]) {
      const begin = (answered: () => void): void => {
        begun.push(clientKey);
        answers.push(answered);
      };
      queue.add({ account: undefined, clientKey, begin });
    }
    turns.shift()?.();
    assert.deepEqual(begun, ["one"]);
    turns.shift()?.();
    // The first answer comes in the turn of the second request, and begins nothing by itself.
    answers[0]?.();
    assert.deepEqual(begun, ["one", "other"]);
    answers[1]?.();
    assert.deepEqual([begun, turns.length], [["one", "other", "third"], 1]);
  });

  it("has accounts and strangers in turn, accounts first, and each of their connections in order", () => {
    const { served, add, turns, turn } = virtualQueue();
    add("stranger", { client: "192.0.2.1" }, 3);
    add("ana 1", { account: "ana" }, 2);
    add("ana 2", { account: "ana" }, 2);
    add("bert", { account: "bert" });
    while (turns.length > 0) turn();
    assert.deepEqual(served, [
      ...["ana 1", "stranger", "bert", "stranger"],
      ...["ana 2", "stranger", "ana 1", "ana 2"],
    ]);
  });

  it("serves none twice more before a newcomer, of another client or of the same", () => {
    for (const client of ["another", "one"])
      for (let turnsBefore = 0; turnsBefore < 40; turnsBefore += 1) {
        const { served, add, turn } = virtualQueue();
        for (let index = 0; index < 16; index += 1) add(`${index}`, { client: "one" }, 60);
        if (client === "another") for (const account of ["a", "b"]) add(account, { account }, 60);
        for (let count = 0; count < turnsBefore; count += 1) turn();
        const before = served.length;
        add("newcomer", { client });
        while (!served.includes("newcomer")) turn();
        const meanwhile = served.slice(before, -1);
        assert.equal(new Set(meanwhile).size, meanwhile.length, `${client}, ${turnsBefore}: ${meanwhile}`);
      }
  });
});

describe("a newcomer, where 16 connections pipeline 60 requests and 480 wait to be accepted", () => {
  it("is answered before any of the 16 was served twice more, and a turn begins one request of all", async (t) => {
    let milliseconds = 0;
    const served = new Map<Socket, number>();
    const server = createServer();
    let atArrival: ReadonlyMap<Socket, number> | undefined;
    let atBegin: ReadonlyMap<Socket, number> | undefined;
    server.on("connection", (socket) => {
      if (served.size >= 16) return;
      served.set(socket, 0);
      keepPlace(socket, `account ${served.size}`);
    });
    server.on("request", ({ url }) => {
      if (url === "/newcomer") atArrival = new Map(served);
    });
    trackConnections(server, {
      ...{ maximum: 512, clientKeyOf: () => "one", now: () => new Date() },
      queue: createRequestQueue(() => milliseconds),
      handle: ({ socket, url }, response) => {
        milliseconds += 1;
        if (url === "/newcomer") atBegin = new Map(served);
        else served.set(socket, (served.get(socket) ?? 0) + 1);
        response.end();
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 511, resolve));
    const { port } = server.address() as AddressInfo;
    const sockets: Socket[] = [];
    const open = (text: string): void => {
      const socket = connect({ host: "127.0.0.1", port }).on("error", () => undefined);
      socket.resume().write(text);
      sockets.push(socket);
    };
    t.after(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    // In one turn of the loop, so that all of them are in the queue of the kernel, in this order.
    for (let index = 0; index < 16; index += 1) open(requestText("GET /pipelined").repeat(60));
    for (let index = 0; index < 480; index += 1) open("");
    open(requestText("GET /newcomer"));
    await until("the newcomer is answered", () => atBegin !== undefined);
    assert.ok(atArrival && atBegin);
    for (const [socket, count] of atBegin) {
      const more = count - (atArrival.get(socket) ?? 0);
      assert.ok(more <= 1, `one was served ${more} times more`);
    }
    const all = [...atBegin.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(all < 16 * 60, "the loop accepted connections as fast as it began requests");
  });
});
