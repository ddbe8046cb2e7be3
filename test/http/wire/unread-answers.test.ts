import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { requestText } from "../../../lab/agents/raw-http.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { type RequestListener, trackConnections } from "../../../src/http/wire/connections.ts";
import { endUnreadBeyond, unreadMilliseconds } from "../../../src/http/wire/unread-answers.ts";

const scratch = scratchDirectory();
const mebibyte = 1024 * 1024;

/** More than the kernel takes of a connection. */
const large = Buffer.alloc(16 * mebibyte);

/** A server, and clients that ask and do not read. */
async function unreadServer(t: TestContext, handle: RequestListener, path?: string) {
  const server = createServer();
  const accepted: Socket[] = [];
  const clients: Socket[] = [];
  server.on("connection", (socket) => accepted.push(socket));
  trackConnections(server, { handle, maximum: 512, clientKeyOf: () => "one", now: () => new Date() });
  await new Promise<void>((resolve) =>
    server.listen(path ? { path } : { port: 0, host: "127.0.0.1" }, resolve),
  );
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const client of clients) client.destroy();
  });
  const ask = (): Socket => {
    const place = () => ({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
    const client = connect(path ? { path } : place()).on("error", () => undefined);
    client.write(requestText("GET /"));
    clients.push(client);
    return client;
  };
  return { server, accepted, ask };
}

describe("an answer that its client does not read", () => {
  it("ends the connection after ten seconds without progress, and with a reset: the kernel keeps nothing of it", async (t) => {
    const { server, accepted, ask } = await unreadServer(t, (_request, response) => response.end(large));
    const client = ask();
    await until("a part of the answer is unsent", () => (accepted[0]?.writableLength ?? 0) > 0);
    assert.deepEqual([server.timeout, accepted[0]?.timeout], [unreadMilliseconds, 10_000]);
    // As Node does at the end of that time.
    accepted[0]?.emit("timeout");
    assert.equal(accepted[0]?.destroyed, true);
    let received = 0;
    client.on("data", (piece: Buffer) => {
      received += piece.length;
    });
    await until("the client is told", () => client.closed);
    // After an orderly end it still gets all that the kernel had taken, some 4 MiB.
    assert.ok(received < mebibyte, `${received} bytes`);
  });

  it("ends a connection of the unix socket as well, which Node cannot reset", async (t) => {
    const path = join(scratch, "socket");
    const { accepted, ask } = await unreadServer(t, (_request, response) => response.end(large), path);
    ask();
    await until("a part of the answer is unsent", () => (accepted[0]?.writableLength ?? 0) > 0);
    accepted[0]?.emit("timeout");
    assert.equal(accepted[0]?.destroyed, true);
  });

  it("is none while a handler is at work; an idle connection ends as before", async (t) => {
    const held: (() => void)[] = [];
    const handle: RequestListener = (_request, response) => held.push(() => response.end("done"));
    const { accepted, ask } = await unreadServer(t, handle);
    let text = "";
    ask().on("data", (piece) => {
      text += String(piece);
    });
    await until("the handler is at work", () => held.length > 0);
    accepted[0]?.emit("timeout");
    assert.equal(accepted[0]?.destroyed, false);
    held[0]?.();
    await until("the answer has arrived", () => text.endsWith("done"));
    await until("the connection is idle", () => accepted[0]?.timeout !== unreadMilliseconds);
    accepted[0]?.emit("timeout");
    assert.equal(accepted[0]?.destroyed, true);
  });
});

describe("the answers of all connections", () => {
  it("hold 32 MiB of unsent bytes, and one answer more, when nobody reads", async (t) => {
    const { accepted, ask } = await unreadServer(t, (_request, response) => response.end(large));
    const begun = () => accepted.filter((socket) => socket.destroyed || socket.writableLength > 0).length;
    for (let count = 1; count <= 12; count += 1) {
      ask();
      await until("it is answered", () => begun() === count);
      const held = accepted.filter(({ destroyed }) => !destroyed);
      const unsent = held.reduce((sum, { writableLength }) => sum + writableLength, 0);
      assert.ok(unsent <= 32 * mebibyte + large.length + 1_024, `${unsent} bytes are unsent`);
    }
    assert.ok(accepted.filter(({ destroyed }) => destroyed).length >= 8);
  });

  it("are given up of the holder with the most, the largest first: one who reads slowly keeps theirs", () => {
    const ended: string[] = [];
    const of = (name: string, bytes: number, account?: string) => ({
      ...{ account, clientKey: name.slice(0, 1) },
      socket: { writableLength: bytes, resetAndDestroy: () => ended.push(name) } as unknown as Socket,
    });
    const flood = Array.from({ length: 8 }, (_, index) => of(`f${index}`, 10 + index));
    const all = new Set([of("slow", 20), of("known", 30, "ana"), ...flood, of("f-ana", 30, "ana")]);
    endUnreadBeyond(all, 200);
    assert.deepEqual(ended, []);
    // 108 of the flood, 60 of the account, 20 of the slow one.
    endUnreadBeyond(all, 150);
    assert.deepEqual(ended, ["f7", "f6", "f5"]);
    assert.equal(all.size, 8);
  });
});
