import type { TLSSocket } from "node:tls";
import type { ServerConnections } from "../host/ports.ts";
import { type Delivery, type Receiver, retry } from "./receiver.ts";
import { syslogFrames } from "./syslog/syslog-messages.ts";
import { cancelled, tooLate, unreached } from "./unreached.ts";

export interface SyslogOptions {
  /** A name or an address. */
  readonly server: string;
  readonly port: number;
  readonly connections: ServerConnections;
  /** This device's name among hosts. */
  readonly hostName: () => string;
  /** Milliseconds since 1970 by the device's clock. */
  readonly wall: () => number;
}

/** Milliseconds for one delivery. */
const wholeMilliseconds = 20_000;

/**
 * A syslog server over TLS (RFC 5424, RFC 5425). The protocol has no acknowledgement. A message counts as delivered when the
 * server has ended its side of the connection in order after this one: TCP then has everything, and a server reads to the
 * end before it closes. What a server loses afterwards is not sent again.
 */
export function createSyslog(options: SyslogOptions): Receiver {
  const { server, port, connections, hostName, wall } = options;
  const place = { host: server, port };
  const where = `${server}:${port}`;
  return {
    deliver: async (message, signal) => {
      const frames = syslogFrames(message, { hostName: hostName(), nowMilliseconds: wall() });
      const whole = AbortSignal.any([signal, AbortSignal.timeout(wholeMilliseconds)]);
      try {
        const socket = await connections.secure(place, whole);
        return await delivered(where, socket, { frames, signal: whole });
      } catch (error) {
        if (signal.aborted) return retry(cancelled(where));
        const why = () => unreached(where, connections.failure(place, error, true));
        return retry(whole.aborted ? tooLate(where) : why());
      }
    },
  };
}

interface Sending {
  readonly frames: Uint8Array;
  readonly signal: AbortSignal;
}

async function delivered(where: string, socket: TLSSocket, { frames, signal }: Sending): Promise<Delivery> {
  try {
    // Whatever a server sends says nothing, but unread bytes would hide that it has ended its side.
    socket.resume();
    socket.end(frames);
    await happened(socket, "end", signal);
    if (socket.writableFinished)
      return { outcome: "taken", answer: "The server has read all and closed the connection" };
    return retry(`${where} closed the connection before it had read everything.`);
  } finally {
    socket.destroy();
  }
}

/** Rejects with the socket's error, or when it closes before. An abort destroys the socket. */
function happened(socket: TLSSocket, event: "end", signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy();
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    socket.on("error", reject);
    socket.once(event, () => resolve());
    socket.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      reject(Object.assign(new Error("the connection ended"), { code: "ECONNRESET" }));
    });
  });
}
