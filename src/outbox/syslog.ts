import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { StewardError, systemErrorCode } from "../contract/errors.ts";
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
  const { server, port, hostName, wall } = options;
  const where = `${server}:${port}`;
  return {
    deliver: async (message, signal) => {
      const frames = syslogFrames(message, { hostName: hostName(), nowMilliseconds: wall() });
      const whole = AbortSignal.any([signal, AbortSignal.timeout(wholeMilliseconds)]);
      try {
        return await delivered(where, await secured(options, whole), { frames, signal: whole });
      } catch (error) {
        if (signal.aborted) return retry(cancelled(where));
        return retry(whole.aborted ? tooLate(where) : failure(where, error));
      }
    },
  };
}

/** A connection whose certificate is verified. */
async function secured(
  { server, port, connections }: SyslogOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const secureContext = await connections.authorities();
  const socket = await connections.open({ host: server, port }, signal);
  const secure = connect({
    ...{ socket, host: server, rejectUnauthorized: true, minVersion: "TLSv1.2" },
    // RFC 6066 §3: a literal address is not sent as a server name.
    ...(isIP(server) === 0 ? { servername: server } : {}),
    ...(secureContext === undefined ? {} : { secureContext }),
  });
  await happened(secure, "secureConnect", signal);
  return secure;
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
function happened(socket: Socket, event: "secureConnect" | "end", signal: AbortSignal): Promise<void> {
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

function failure(where: string, error: unknown): string {
  const { reason } = error instanceof StewardError ? error.details : {};
  if (reason === "local_server")
    return `${where} is this device or is on its own link, and the record is not sent there.`;
  // TLS 1.3: a server judges the client after the client has connected.
  if (/ALERT_CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/.test(systemErrorCode(error) ?? ""))
    return `${where} asks for a certificate of this device, which has none for it. Let the server take messages without.`;
  return unreached(where, error);
}
