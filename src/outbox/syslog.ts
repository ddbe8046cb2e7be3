import type { TLSSocket } from "node:tls";
import type { HostTime } from "../host/host.ts";
import type { IsAcknowledged, ServerConnections } from "../host/ports.ts";
import { attempt } from "./failures.ts";
import { type Delivery, type Receiver, retry } from "./receiver.ts";
import { syslogFrames } from "./syslog/syslog-messages.ts";

export interface SyslogOptions extends Pick<HostTime, "wall" | "timers"> {
  /** A name or an address. */
  readonly server: string;
  readonly port: number;
  readonly connections: ServerConnections;
  readonly hostName: () => string;
  readonly isAcknowledged: IsAcknowledged;
}

/** Milliseconds for one delivery. */
const wholeMilliseconds = 20_000;

/** Seconds in which servers end their side once they have read the end of this one: rsyslog and syslog-ng at once. */
const closingSeconds = 5;

/**
 * A syslog server over TLS (RFC 5424, RFC 5425). The protocol has no acknowledgement. A message counts as delivered when the
 * server has ended its side of the connection in order after this one: TCP then has everything, and a server reads to the
 * end before it closes. RFC 5425 §4.4 does not demand that: of a server that keeps its side open, TCP's acknowledgement of
 * all has to do. What a server loses afterwards is not sent again.
 */
export function createSyslog(options: SyslogOptions): Receiver {
  const { server, port, connections, hostName, wall } = options;
  const place = { host: server, port };
  return {
    deliver: async (message, signal) => {
      const frames = syslogFrames(message, { hostName: hostName(), nowMilliseconds: wall() });
      return attempt(`${server}:${port}`, wholeMilliseconds, signal, async (whole) => {
        const socket = await connections.secure(place, whole);
        return delivered(options, socket, frames, whole).catch((error: unknown) => {
          throw connections.failure(place, error, true);
        });
      });
    },
  };
}

async function delivered(
  { server, port, timers, isAcknowledged }: SyslogOptions,
  socket: TLSSocket,
  frames: Uint8Array,
  signal: AbortSignal,
): Promise<Delivery> {
  let takeBack = (): void => undefined;
  const isKept = new Promise<boolean>((resolve) => {
    const wait = (): void => {
      takeBack = timers.after(closingSeconds, () => void isAcknowledged(socket).then(look));
    };
    const look = (isIt: boolean): void => {
      if (isIt) resolve(true);
      else if (!socket.destroyed) wait();
    };
    socket.once("finish", wait);
  });
  try {
    // Whatever a server sends says nothing, but unread bytes would hide that it has ended its side.
    socket.resume();
    socket.end(frames);
    if (await Promise.race([isKept, ended(socket, signal)]))
      return { outcome: "taken", answer: "The server's host has all; the server keeps the connection open" };
    if (socket.writableFinished)
      return { outcome: "taken", answer: "The server has read all and closed the connection" };
    return retry(`${server}:${port} closed the connection before it had read everything.`);
  } finally {
    takeBack();
    socket.destroy();
  }
}

/** Settles when the server has ended its side; rejects with the socket's error, or when it closes before. An abort destroys it. */
function ended(socket: TLSSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy();
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    socket.on("error", reject);
    socket.once("end", resolve);
    socket.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      reject(Object.assign(new Error("the connection ended"), { code: "ECONNRESET" }));
    });
  });
}
