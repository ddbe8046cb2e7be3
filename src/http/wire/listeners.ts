import { chmodSync, lstatSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { ifAbsent, requireSocketPath, StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { BoundBuffers } from "../../host/ports.ts";
import { clientKeyOfPeer } from "../client-address.ts";
import { keepPlace } from "./connection-places.ts";
import { type Connections, localSockets, type RequestListener, trackConnections } from "./connections.ts";

export type Listener = ReturnType<typeof stoppable>;

/** Milliseconds that a client may take for its request's headers, and for the whole of it. */
const headersTimeout = 10_000;
const requestTimeout = 25_000;

/** Milliseconds for which an idle connection is kept; longer than the 60 s of common proxies. */
const keepAliveTimeout = 65_000;

/** Bytes of headers; more get a 431 from our handler. */
export const maxHeaderSize = 16 * 1024;

/** Milliseconds for which connections without a request are kept after a stop. */
const silentGraceMilliseconds = 100;

/** Connections of a listener; beyond this number one is ended (connection-places.ts). */
export const maximumConnections = 512;

/** The parts of the host that every listener needs. */
export interface Surroundings {
  readonly now: () => Date;
  readonly boundBuffers?: BoundBuffers;
}

/** Listens on loopback. Throws if the port is taken. */
export async function listenTcp(
  handle: RequestListener,
  host: string,
  port: number,
  { now, boundBuffers }: Surroundings,
): Promise<Listener> {
  const { server, connections } = newServer(handle, now);
  await listening(server, () => server.listen({ host, port }), `${host}:${port}`);
  boundBuffers?.(server);
  return stoppable(server, connections, shownAddress(server, "http", host));
}

/** The address with the port of the server, since port 0 lets the kernel choose one. */
export function shownAddress(server: Server | HttpsServer, scheme: string, host: string): string {
  const bound = server.address();
  const port = typeof bound === "object" && bound ? bound.port : "";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Listens on a unix socket that only its owner (and root) can open. */
export async function listenUnix(handle: RequestListener, path: string, now: () => Date): Promise<Listener> {
  requireSocketPath(path, "--run DIRECTORY");
  await removeStale(path);
  const { server, connections } = newServer(handle, now);
  server.prependListener("connection", (socket: Socket) => {
    localSockets.add(socket);
    keepPlace(socket, "local root");
  });
  await listening(server, () => server.listen({ path }), path);
  chmodSync(path, 0o600);
  const listener = stoppable(server, connections, path);
  return {
    ...listener,
    stop: async (milliseconds) => {
      // Later clients wait for the next agent; those in the queue have sent requests, which closing it would lose.
      await unlink(path).catch(() => undefined);
      await queueAccepted(server);
      return listener.stop(milliseconds);
    },
  };
}

/**
 * Settles when the queue of a socket that no client finds any more is empty: libuv accepts one connection in each turn.
 */
async function queueAccepted(server: Server): Promise<void> {
  let hasCome = true;
  const onConnection = (): void => {
    hasCome = true;
  };
  server.on("connection", onConnection);
  while (hasCome) {
    hasCome = false;
    // The second one runs after the event loop has looked for connections.
    await setImmediate();
    await setImmediate();
  }
  server.off("connection", onConnection);
}

export const serverTimes = {
  headersTimeout,
  requestTimeout,
  keepAliveTimeout,
  maxHeaderSize,
  // So much later a limit may take effect. At each, every server wakes an agent at rest.
  connectionsCheckingInterval: 15_000,
  // Our own handler answers with a problem.
  requireHostHeader: false,
} as const;

function newServer(handle: RequestListener, now: () => Date): { server: Server; connections: Connections } {
  const server = createServer(serverTimes);
  const options = { handle, maximum: maximumConnections, clientKeyOf: clientKeyOfPeer, now };
  return { server, connections: trackConnections(server, options) };
}

/** The advice for each code of the system's error. */
const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: " Another program listens there: stop it, or choose another address.",
  EACCES:
    " A port below 1024 takes a right that the agent does not have: choose a higher one, or put a proxy such as nginx in front.",
  EADDRNOTAVAIL: " This device does not have that address now.",
};

export function listening(server: Server | HttpsServer, listen: () => void, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const code = systemErrorCode(cause) ?? cause.message;
      const text = `Cannot listen on ${where} (${code}).${advice[code] ?? ""}`;
      reject(new StewardError("internal_error", text, { cause }));
    });
    server.once("listening", resolve);
    listen();
  });
}

export function stoppable(server: Server | HttpsServer, connections: Connections, address: string) {
  return {
    /** Its address, as people see it. */
    address,
    /** Accepts no more connections, lets requests in flight finish, and ends the rest after `milliseconds`. */
    stop: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), milliseconds);
        const graceMilliseconds = Math.min(milliseconds, silentGraceMilliseconds);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        // A request that was sent before the stop may still arrive, and gets an answer.
        setTimeout(() => connections.endSilent(), graceMilliseconds).unref();
      }),
  };
}

/** Removes a socket on which no agent answers: an agent that was killed left it. */
async function removeStale(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect({ path });
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
  if (isAlive) throw new StewardError("state_locked", `Another agent answers on ${path}. Stop it first.`);
  await unlink(path).catch(ifAbsent);
}
