import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { until } from "../../../lab/basics/until.ts";
import { messageOf, noticeOf } from "../../../lab/host/messages.ts";
import { readSyslog } from "../../../lab/host/syslog-frames.ts";
import { listening } from "../../../lab/host/web-server.ts";
import { isAcknowledged as known } from "../../../src/host/linux/network/connection-users.ts";
import { createServerConnections } from "../../../src/host/linux/transfers/connections.ts";
import type { Delivery, Message } from "../../../src/outbox/receiver.ts";
import { createSyslog, type SyslogOptions } from "../../../src/outbox/syslog.ts";
import { authority, during, errorOf, good, unending } from "../fixture.ts";

/** A server over TLS that reads; `allowHalfOpen`: and keeps its side open when all was sent. */
async function reading(
  test: TestContext,
  options: TlsOptions = {},
  onPiece: (socket: TLSSocket) => void = () => undefined,
) {
  const pieces: Buffer[] = [];
  const server = createServer({ ...good, ...options }, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => {
      pieces.push(piece);
      onPiece(socket);
    });
  });
  const { port } = await during(test, listening(server as never, "tls", []));
  return { port, messages: () => readSyslog(Buffer.concat(pieces)) };
}

const message = messageOf([noticeOf(7), noticeOf(8)]);
/** So many kilobytes. */
const long = (count: number): Message =>
  messageOf(Array.from({ length: count }, (_, seq) => noticeOf(seq, { text: "x".repeat(1_000) })));

type Plan = Partial<Pick<SyslogOptions, "timers" | "isAcknowledged">> & { sent?: Message };

function deliver(port: number, { sent = message, ...plan }: Plan = {}, signal = unending): Promise<Delivery> {
  const connections = createServerConnections({ allowLocalServers: true, caFile: authority.path });
  const syslog = createSyslog({
    ...{ server: "127.0.0.1", port, connections, hostName: () => "edge-7", wall: () => 0 },
    ...{ timers: { after: () => () => undefined }, isAcknowledged: known, ...plan },
  });
  return syslog.deliver(sent, signal);
}

/** Timers whose time is over when it passes. */
function passing() {
  const waits: number[] = [];
  let calls: (() => void)[] = [];
  const timers: SyslogOptions["timers"] = {
    after: (seconds, call) => {
      waits.push(seconds);
      calls.push(call);
      return () => undefined;
    },
  };
  const pass = (): void => {
    const due = calls;
    calls = [];
    for (const call of due) call();
  };
  return { timers, pass, waits };
}

describe("a syslog server over TLS", () => {
  it("gets all messages, and has read them when the delivery is one", async (test) => {
    const { port, messages } = await reading(test);
    const answer = "The server has read all and closed the connection";
    assert.deepEqual(await deliver(port), { outcome: "taken", answer });
    const ids = messages().map(({ msgId }) => msgId);
    assert.deepEqual(ids, ["need.began", "need.began"]);
  });

  it("gets a thousand long messages before it closes, however slowly it reads", async (test) => {
    const { port, messages } = await reading(test, {}, (socket) => {
      socket.pause();
      setImmediate(() => socket.resume());
    });
    assert.equal((await deliver(port, { sent: long(1_000) })).outcome, "taken");
    assert.equal(messages().length, 1_000);
  });

  it("that breaks off while it reads has not got them", async (test) => {
    const { port } = await reading(test, {}, (socket) => socket.destroy());
    assert.match(errorOf(await deliver(port, { sent: long(4_000) })), /closed the connection/);
  });

  for (const version of ["TLSv1.3", "TLSv1.2"] as const)
    it(`that keeps its side open has them once TCP has acknowledged all: ${version}`, async (test) => {
      const { timers, pass, waits } = passing();
      const { port, messages } = await reading(test, { allowHalfOpen: true, maxVersion: version });
      let outcome: Delivery | undefined;
      const isAcknowledged: typeof known = async (socket) => waits.length > 1 && known(socket);
      void deliver(port, { timers, isAcknowledged }).then((delivery) => {
        outcome = delivery;
      });
      await until("the message is taken", () => {
        pass();
        return outcome !== undefined;
      });
      const answer = "The server's host has all; the server keeps the connection open";
      assert.deepEqual(outcome, { outcome: "taken", answer });
      assert.deepEqual([waits.slice(0, 2), messages().length], [[5, 5], 2]);
    });

  it("that keeps its side open has them not while TCP has not acknowledged all", async (test) => {
    const { timers, pass, waits } = passing();
    const { port } = await reading(test, { allowHalfOpen: true });
    const ending = new AbortController();
    const delivery = deliver(port, { timers, isAcknowledged: async () => false }, ending.signal);
    await until("it was looked at three times", () => {
      pass();
      return waits.length > 3;
    });
    ending.abort();
    assert.match(errorOf(await delivery), /was cancelled/);
  });
});
