import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:https";
import { type Socket, connect as tcpConnect } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { asNobody } from "../../../lab/host/credentials.ts";
import { systemErrorCode } from "../../../src/contract/errors.ts";
import { boundHandshakes, type HandshakeBounds } from "../../../src/http/wire/handshakes.ts";
import { listenTcp, listenUnix } from "../../../src/http/wire/listeners.ts";
import { listen, ownCertificate } from "../fixture.ts";

const now = () => new Date();

/** A path in the directory of so many bytes. */
const pathOf = (directory: string, bytes: number) =>
  join(directory, "s".repeat(bytes - Buffer.byteLength(directory) - 1));

describe("the agent's socket", () => {
  it("listens at a path of 107 bytes; at a longer one it is refused with what to do, and nothing is made", async (test) => {
    const directory = await temporaryDirectory(test);
    const listening = (bytes: number) =>
      listenUnix((_, response) => void response.end(), pathOf(directory, bytes), now);
    const listener = await listening(107);
    await listener.stop(0);
    const message =
      /has 108 bytes, and a unix socket may have 107\. Choose a shorter one with .*--run DIRECTORY/;
    await assert.rejects(listening(108), { code: "validation_failed", message });
    assert.deepEqual(readdirSync(directory), []);
  });

  it("answers all who wait to be accepted when it is stopped, and is found by no later client", async (test) => {
    const path = join(await temporaryDirectory(test), "socket");
    const listener = await listenUnix((_, response) => void response.end("done"), path, now);
    const get = (): Promise<string> =>
      new Promise((resolve) => {
        const client = request({ socketPath: path, agent: false }, (response) => {
          response.resume();
          resolve(String(response.statusCode));
        });
        client.on("error", (error) => resolve(systemErrorCode(error) ?? error.message));
        client.end();
      });
    // In one turn of the event loop: none of them is accepted before the stop begins.
    const waiting = Array.from({ length: 40 }, get);
    const stopped = listener.stop(4_000);
    const answers = await Promise.all(waiting);
    assert.deepEqual(answers, Array(40).fill("200"));
    await stopped;
    assert.equal(await get(), "ENOENT");
  });
});

describe("a port", () => {
  it("that another program listens at is said to be taken", async () => {
    const first = await listenTcp((_, response) => void response.end(), "127.0.0.1", 0, { now });
    const port = Number(new URL(first.address).port);
    const refused = listenTcp((_, response) => void response.end(), "127.0.0.1", port, { now });
    await assert.rejects(refused, /EADDRINUSE.*Another program listens there/);
    await first.stop(0);
  });

  it("that takes a right, or an address that is elsewhere, is refused with what to do", async () => {
    const listen = (host: string, port: number) =>
      listenTcp((_, response) => void response.end(), host, port, { now });
    await assert.rejects(listen("203.0.113.7", 0), /EADDRNOTAVAIL.*does not have that address/);
    await asNobody(() => assert.rejects(listen("127.0.0.1", 443), /EACCES.*choose a higher one/));
  });
});

const rate = (burst: number, perSecond = 1) => ({ burst, perSecond });
const many = rate(1_000);

describe("handshakes", () => {
  const pair = ownCertificate("one");

  /** A server whose clock does not move until the test lets it. It knows its clients by the address they come from. */
  async function served(test: TestContext, bounds: Partial<HandshakeBounds>) {
    let milliseconds = 0;
    const server = createServer({ ...pair, handshakeTimeout: 60_000 }, (_request, response) =>
      response.end("read"),
    );
    boundHandshakes(
      server,
      { ofOne: many, ofAll: many, pending: 100, pendingOfOne: 100, ...bounds },
      (address = "") => address,
      () => milliseconds,
    );
    const port = await listen(test, server);
    const open = new Set<Socket>();
    test.after(() => {
      for (const socket of open) socket.destroy();
    });
    /** True: the handshake came to its end. */
    const shakes = async (from = "127.0.0.1"): Promise<boolean> => {
      const options = { port, host: "127.0.0.1", localAddress: from, rejectUnauthorized: false };
      const socket: TLSSocket = connect(options);
      open.add(socket);
      return new Promise((resolve) => {
        socket.once("secureConnect", () => resolve(true)).once("error", () => resolve(false));
      });
    };
    /** A connection that says nothing; its state. */
    const silent = async (from = "127.0.0.1"): Promise<Socket> => {
      const socket = tcpConnect({ port, host: "127.0.0.1", localAddress: from });
      open.add(socket.on("error", () => undefined).resume());
      await new Promise((resolve) => socket.once("connect", resolve));
      return socket;
    };
    const pass = (seconds: number) => {
      milliseconds += seconds * 1_000;
    };
    return { shakes, silent, pass };
  }

  it("of one client have a rate, which leaves the others theirs", async (test) => {
    const { shakes, pass } = await served(test, { ofOne: rate(3, 2) });
    for (let count = 0; count < 3; count += 1) assert.equal(await shakes(), true);
    assert.equal(await shakes(), false);
    assert.equal(await shakes("127.0.0.2"), true);
    pass(1);
    assert.deepEqual([await shakes(), await shakes(), await shakes()], [true, true, false]);
  });

  it("of all have a rate, of which a client beyond its own takes nothing", async (test) => {
    const { shakes } = await served(test, { ofOne: rate(2), ofAll: rate(4) });
    for (const expected of [true, true, false, false, false]) assert.equal(await shakes(), expected);
    assert.deepEqual([await shakes("127.0.0.2"), await shakes("127.0.0.3")], [true, true]);
    assert.equal(await shakes("127.0.0.4"), false);
  });

  it("of one client that are under way have a number, and the newest is refused", async (test) => {
    const { silent, shakes } = await served(test, { pendingOfOne: 2 });
    const first = [await silent(), await silent()];
    const third = await silent();
    await until("the third is refused", () => third.destroyed || third.readableEnded);
    assert.ok(first.every((socket) => !socket.readableEnded));
    assert.equal(await shakes("127.0.0.2"), true);
    first[0]?.destroy();
    await until("there is room again", () => shakes());
  });

  it("of all that are under way have a number, and the oldest is ended", async (test) => {
    const { silent, shakes } = await served(test, { pending: 2 });
    const oldest = await silent("127.0.0.2");
    await silent("127.0.0.3");
    assert.equal(await shakes("127.0.0.4"), true, "a new client gets in");
    await until("the oldest is ended", () => oldest.destroyed || oldest.readableEnded);
  });
});
