import type { Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";

/** Milliseconds without a byte of an answer leaving, after which its connection ends. Node counts progress as activity. */
export const unreadMilliseconds = 10_000;

/** Bytes of all answers that clients have not taken: an eighth of the memory that the unit has. */
const mostUnsentBytes = 32 * 1024 * 1024;

/** Ends the server's connections whose clients do not read, and those that idle longer than it keeps them. */
export function endUnreadIn(server: Server | HttpsServer): void {
  server.setTimeout(unreadMilliseconds, (socket: Socket) => {
    if (socket.writableLength > 0) reset(socket);
    // Node gives an idle connection another timeout. Handlers at work and requests that arrive have their own.
    else if (socket.timeout !== unreadMilliseconds) socket.destroy();
  });
}

/** A connection with a request under way. */
export interface Answering {
  readonly socket: Socket;
  readonly account: string | undefined;
  readonly clientKey: string;
}

/**
 * While all of them hold more than `most` unsent bytes: ends the connection with the most, of the holder (account, else
 * client) with the most, and removes it. Called before each request: an answer has usually left before the next begins,
 * so there is very little to count.
 */
export function endUnreadBeyond(connections: Set<Answering>, most = mostUnsentBytes): void {
  while (unsentOf(connections) > most) {
    const held = new Map<string, Set<Answering>>();
    for (const one of connections) {
      const holder = one.account ?? one.clientKey;
      held.set(holder, (held.get(holder) ?? new Set()).add(one));
    }
    const largest = largestBy(held.values(), unsentOf);
    const leaving = largestBy(largest, ({ socket }) => socket.writableLength);
    connections.delete(leaving);
    reset(leaving.socket);
  }
}

function unsentOf(connections: Iterable<Answering>): number {
  let bytes = 0;
  for (const { socket } of connections) bytes += socket.writableLength;
  return bytes;
}

/** The first of those with the largest amount. */
function largestBy<T>(all: Iterable<T>, amountOf: (one: T) => number): T {
  return [...all].reduce((one, other) => (amountOf(other) > amountOf(one) ? other : one));
}

/** Drops the unsent bytes: after an orderly end the kernel would keep them, and go on trying to send them. */
export function reset(socket: Socket): void {
  // Node resets no connection with TLS, and throws for one of a unix socket: their unsent bytes go with them.
  if ("encrypted" in socket) socket.destroy();
  else
    try {
      socket.resetAndDestroy();
    } catch {
      socket.destroy();
    }
}
