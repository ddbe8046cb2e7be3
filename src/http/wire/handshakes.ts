import type { Server, Socket } from "node:net";
import { canonicalAddress } from "../../accounts/throttle/client-key.ts";
import { systemErrorCode } from "../../contract/errors.ts";
import { createBucket, createBuckets, type Rate } from "../../journal/logs/rates.ts";

/**
 * The bounds of TLS handshakes. A handshake takes a hundred times the work of a request, before anything is known of
 * the client, and a connection that never finishes it holds a descriptor. So handshakes have a rate, for each client
 * and for all, and only so many may be under way. Beyond that a connection is closed unread, which costs very little:
 * the event loop stays free for loopback and the socket.
 */
export interface HandshakeBounds {
  /** Handshakes that may begin at once, and how many more a second; for one client, and for all. */
  readonly ofOne: Rate;
  readonly ofAll: Rate;
  /** Handshakes under way; beyond this number the oldest is ended. */
  readonly pending: number;
  /** Handshakes of one client under way; beyond this number its newest is refused. */
  readonly pendingOfOne: number;
}

/** A browser opens six connections for a page; 64 handshakes a second take a fifth of a slow device's processor. */
export const usualHandshakeBounds: HandshakeBounds = {
  ofOne: { burst: 48, perSecond: 8 },
  ofAll: { burst: 128, perSecond: 64 },
  pending: 64,
  pendingOfOne: 16,
};

/** Lets a TLS server take part only in handshakes that are within the bounds. */
export function boundHandshakes(
  server: Server,
  bounds: HandshakeBounds,
  keyOf: (address: string | undefined) => string,
  /** Milliseconds of a clock that only goes forward. */
  monotonic: () => number,
): void {
  const ofAll = createBucket(bounds.ofAll, monotonic);
  const ofOne = createBuckets(bounds.ofOne, monotonic);
  const pending = new Map<string, { socket: Socket; key: string }>();
  const admits = (key: string): boolean => {
    const own = [...pending.values()].filter((one) => one.key === key).length;
    // The client's own rate first: beyond it a client takes nothing from the others.
    return own < bounds.pendingOfOne && ofOne(key).take() && ofAll.take();
  };
  // tls.Server begins the handshake in its own listener of this event.
  const begin = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const key = keyOf(socket.remoteAddress);
    if (!admits(key)) return void socket.destroy();
    const peer = peerOf(socket);
    pending.set(peer, { socket, key });
    socket.once("close", () => pending.delete(peer));
    if (pending.size > bounds.pending) pending.values().next().value?.socket.destroy();
    for (const listener of begin) listener.call(server, socket);
  });
  // OpenSSL has read plain HTTP in place of a handshake. Node ends the connection after this event, and its own socket
  // still writes past TLS.
  server.on("tlsClientError", (error: Error, socket: Socket) => {
    if (systemErrorCode(error) !== "ERR_SSL_HTTP_REQUEST") return;
    const plain = pending.get(peerOf(socket))?.socket;
    plain?.write(answerToPlainHttp(plain));
  });
  server.on("secureConnection", (socket: Socket) => pending.delete(peerOf(socket)));
}

/** Names the address of the connection: no word of the request is known, least of all a Host that could lead elsewhere. */
function answerToPlainHttp({ localAddress = "", localPort }: Socket): string {
  const address = canonicalAddress(localAddress) ?? "";
  const url = `https://${address.includes(":") ? `[${address}]` : address}:${localPort}/`;
  const text = `This port speaks HTTPS: open ${url}
Dieser Anschluss spricht HTTPS: ${url} öffnen.

A password or token in this request has crossed the network in the clear: replace it.
`;
  const lines = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...["X-Content-Type-Options: nosniff", "Cache-Control: no-store", "Connection: close"],
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
