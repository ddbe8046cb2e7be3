import type { Server, Socket } from "node:net";

/**
 * A TLS handshake takes a hundred times the work of a request, before anything is known of the client, and a connection
 * that never finishes it holds a descriptor. So handshakes have a rate, for each client and for all, and only so many may
 * be under way. Beyond that a connection is closed unheard, which costs next to nothing: the loop stays free for loopback
 * and the socket.
 */
export interface HandshakeBounds {
  /** Handshakes that may begin at once, and how many more a second; of one client, and of all. */
  readonly ofOne: Rate;
  readonly ofAll: Rate;
  /** Handshakes under way; beyond them the oldest is ended. */
  readonly pending: number;
  /** Handshakes of one client under way; beyond them its newest is refused. */
  readonly pendingOfOne: number;
}

interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** A browser opens six connections for a page; 64 handshakes a second take a fifth of a slow device's processor. */
export const usualHandshakeBounds: HandshakeBounds = {
  ofOne: { burst: 48, perSecond: 8 },
  ofAll: { burst: 128, perSecond: 64 },
  pending: 64,
  pendingOfOne: 16,
};

export interface BoundHandshakesOptions {
  readonly bounds: HandshakeBounds;
  readonly clientKeyOf: (address: string | undefined) => string;
  /** Milliseconds of a clock that only goes forward. */
  readonly monotonic: () => number;
}

/** Has a TLS server take part only in handshakes that are within the bounds. */
export function boundHandshakes(
  server: Server,
  { bounds, clientKeyOf: keyOf, monotonic }: BoundHandshakesOptions,
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
  server.on("secureConnection", (socket: Socket) => pending.delete(peerOf(socket)));
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

interface Bucket {
  /** False: empty. */
  take(): boolean;
  isFull(): boolean;
}

function createBucket({ burst, perSecond }: Rate, monotonic: () => number): Bucket {
  let left = burst;
  let filledAt = monotonic();
  const fill = (): void => {
    const now = monotonic();
    left = Math.min(burst, left + ((now - filledAt) * perSecond) / 1_000);
    filledAt = now;
  };
  return {
    take: () => {
      fill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    isFull: () => {
      fill();
      return left === burst;
    },
  };
}

/** Clients whose rate is remembered. With more, the one that came first is forgotten: the rate of all still holds. */
const mostClients = 512;

function createBuckets(rate: Rate, monotonic: () => number): (key: string) => Bucket {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    let bucket = buckets.get(key);
    if (bucket !== undefined) return bucket;
    if (buckets.size >= mostClients) forgetSome(buckets);
    bucket = createBucket(rate, monotonic);
    buckets.set(key, bucket);
    return bucket;
  };
}

function forgetSome(buckets: Map<string, Bucket>): void {
  for (const [key, bucket] of buckets) if (bucket.isFull()) buckets.delete(key);
  const [first] = buckets.keys();
  if (buckets.size >= mostClients && first !== undefined) buckets.delete(first);
}
