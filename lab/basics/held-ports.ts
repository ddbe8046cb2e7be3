import { createSocket, type SocketType } from "node:dgram";
import { connect, createServer } from "node:net";
import { systemErrorCode } from "../../src/contract/errors.ts";

/**
 * A TCP port of 127.0.0.1 for a program that must be given one: it stays this process's until it ends, so that the kernel
 * gives it to no other. A connection has it, beside which a server may listen that sets SO_REUSEADDR, as all of them do.
 */
export async function heldPort(): Promise<number> {
  const server = createServer().unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const own = server.address();
  if (own === null || typeof own === "string") throw new Error("no port");
  // Both ends are kept: one that is over would give its port back.
  server.once("connection", (socket) => socket.unref());
  return new Promise((resolve, reject) => {
    const socket = connect({ port: own.port, host: "127.0.0.1", localAddress: "127.0.0.1" });
    socket.once("error", reject).once("connect", () => {
      socket.unref();
      resolve(socket.localPort ?? 0);
    });
  });
}

/**
 * The same for UDP, on 127.0.0.1 and ::1. A packet that is sent to it is refused until a server is there: what has it
 * hears its own peer only.
 */
export async function heldUdpPort(): Promise<number> {
  for (;;) {
    const port = await freeUdpPort();
    try {
      await holdUdp("udp4", "127.0.0.1", port);
      await holdUdp("udp6", "::1", port);
      return port;
    } catch (error) {
      // Given to another program since: it has no SO_REUSEADDR, as those that held ports were given to have.
      if (systemErrorCode(error) !== "EADDRINUSE") throw error;
    }
  }
}

/**
 * A port that is free on both. Asked for without SO_REUSEADDR: beside sockets that all set it, such as those that hold a
 * port, the kernel gives theirs a second time, and two servers then take turns at one port's packets.
 */
async function freeUdpPort(): Promise<number> {
  // `::` takes 0.0.0.0 as well.
  const both = createSocket("udp6");
  await new Promise<void>((resolve, reject) => {
    both.once("error", reject).bind(0, "::", resolve);
  });
  const { port } = both.address();
  await new Promise<void>((resolve) => both.close(resolve));
  return port;
}

async function holdUdp(type: SocketType, address: string, port: number): Promise<void> {
  const peer = createSocket(type).unref();
  const socket = createSocket({ type, reuseAddr: true }).unref();
  await new Promise<void>((resolve, reject) => {
    peer.once("error", reject).bind(0, address, resolve);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject).bind(port, address, resolve);
  });
  await new Promise<void>((resolve) => socket.connect(peer.address().port, address, resolve));
}
