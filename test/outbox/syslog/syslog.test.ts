import assert from "node:assert/strict";
import { createServer as createPlainServer, type Server, type Socket } from "node:net";
import { afterEach, describe, it } from "node:test";
import { createServer, type TLSSocket, type TlsOptions } from "node:tls";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { messageOf, noticeOf } from "../../../lab/host/messages.ts";
import { readSyslog } from "../../../lab/host/syslog-frames.ts";
import { listening, type WebServer } from "../../../lab/host/web-server.ts";
import { isAcknowledged as known } from "../../../src/host/linux/network/connection-users.ts";
import {
  createServerConnections,
  type LinuxSurroundings,
} from "../../../src/host/linux/transfers/connections.ts";
import type { Delivery, Message } from "../../../src/outbox/receiver.ts";
import { createSyslog, type SyslogOptions } from "../../../src/outbox/syslog.ts";

const authority = createAuthority(scratchDirectory());
const certificate = authority.certify("127.0.0.1");
const servers: WebServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function started(server: Server): Promise<number> {
  const { port, stop, ...rest } = await listening(server as never, "tls", []);
  servers.push({ port, stop, ...rest });
  return port;
}

/** A server that reads to the end, as syslog servers do, and then closes. */
async function reading(options: TlsOptions = certificate) {
  const pieces: Buffer[] = [];
  const onSocket = (socket: TLSSocket): void => {
    socket.on("error", () => undefined);
    socket.on("data", (piece) => pieces.push(piece));
  };
  return { pieces, port: await started(createServer(options, onSocket)) };
}

const message = messageOf([noticeOf(7), noticeOf(8)]);
/** So many kilobytes. */
const long = (count: number): Message =>
  messageOf(Array.from({ length: count }, (_, seq) => noticeOf(seq, { text: "x".repeat(1_000) })));
const unending = new AbortController().signal;

interface Plan extends Partial<LinuxSurroundings>, Partial<Pick<SyslogOptions, "timers" | "isAcknowledged">> {
  readonly server?: string;
  readonly sent?: Message;
  readonly signal?: AbortSignal;
}

function deliver(port: number, plan: Plan = {}): Promise<Delivery> {
  const { server = "127.0.0.1", sent = message, signal = unending, ...others } = plan;
  const { timers = { after: () => () => undefined }, isAcknowledged = known, ...rest } = others;
  const connections = createServerConnections({ allowLocalServers: true, caFile: authority.path, ...rest });
  const syslog = createSyslog({
    ...{ server, port, connections, hostName: () => "edge-7", wall: () => 0, timers, isAcknowledged },
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

const failing = async (delivery: Promise<Delivery>, words: RegExp): Promise<void> => {
  const outcome = await delivery;
  assert.ok(outcome.outcome === "retry", JSON.stringify(outcome));
  assert.match(outcome.error, words);
};

describe("a syslog server over TLS", () => {
  it("gets all messages, and has read them when the delivery is one", async () => {
    const { port, pieces } = await reading();
    const answer = "The server has read all and closed the connection";
    assert.deepEqual(await deliver(port), { outcome: "taken", answer });
    assert.deepEqual(
      readSyslog(Buffer.concat(pieces)).map(({ msgId }) => msgId),
      ["need.began", "need.began"],
    );
  });

  it("gets a thousand long messages before it closes, however slowly it reads", async () => {
    const pieces: Buffer[] = [];
    const slow = (socket: TLSSocket): void => {
      socket.on("data", (piece: Buffer) => {
        pieces.push(piece);
        socket.pause();
        setImmediate(() => socket.resume());
      });
    };
    const port = await started(createServer(certificate, slow));
    assert.equal((await deliver(port, { sent: long(1_000) })).outcome, "taken");
    assert.equal(readSyslog(Buffer.concat(pieces)).length, 1_000);
  });

  it("that breaks off while it reads has not got them", async () => {
    const breaking = (socket: TLSSocket): void => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.destroy());
    };
    const port = await started(createServer(certificate, breaking));
    await failing(deliver(port, { sent: long(4_000) }), /closed the connection/);
  });

  for (const [version, options] of [
    ["1.3", certificate],
    ["1.2", { ...certificate, maxVersion: "TLSv1.2" }],
  ] as const)
    it(`that keeps its side open has them once TCP has acknowledged all: TLS ${version}`, async () => {
      const { timers, pass, waits } = passing();
      const pieces: Buffer[] = [];
      const keeping = (socket: TLSSocket): void => {
        socket.on("error", () => undefined);
        socket.on("data", (piece) => pieces.push(piece));
      };
      const port = await started(createServer({ ...options, allowHalfOpen: true }, keeping));
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
      assert.deepEqual(waits.slice(0, 2), [5, 5]);
      assert.equal(readSyslog(Buffer.concat(pieces)).length, 2);
    });

  it("that keeps its side open has them not while TCP has not acknowledged all", async () => {
    const { timers, pass, waits } = passing();
    const keeping = (socket: TLSSocket) => void socket.on("error", () => undefined).resume();
    const port = await started(createServer({ ...certificate, allowHalfOpen: true }, keeping));
    const ending = new AbortController();
    const isAcknowledged = async () => false;
    const delivery = deliver(port, { timers, isAcknowledged, signal: ending.signal });
    await until("it was looked at three times", () => {
      pass();
      return waits.length > 3;
    });
    ending.abort();
    await failing(delivery, /was cancelled/);
  });

  it("without TLS gets nothing", async () => {
    const pieces: Buffer[] = [];
    const port = await started(
      createPlainServer((socket: Socket) => {
        socket.on("data", (piece) => pieces.push(piece));
        socket.on("error", () => undefined);
        socket.write("220 hello\r\n");
      }),
    );
    await failing(deliver(port), /Nothing was sent/);
    assert.ok(!Buffer.concat(pieces).includes("steward"));
  });

  it("that is this device is not reached, unless root has named its address", async () => {
    const { port, pieces } = await reading(authority.certify("logs.example"));
    const resolveHost = async () => ["127.0.0.1"];
    const plan = { server: "logs.example", allowLocalServers: false, resolveHost };
    await failing(deliver(port, plan), /leads to 127\.0\.0\.1, which is this device/);
    assert.deepEqual(pieces, []);
  });

  it("is not waited for when the agent stops", async () => {
    const silent = createPlainServer((socket) => socket.on("error", () => undefined));
    const port = await started(silent);
    const ending = new AbortController();
    const delivery = deliver(port, { signal: ending.signal });
    ending.abort();
    await failing(delivery, /was cancelled/);
  });
});
