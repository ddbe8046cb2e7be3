import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { toProblem } from "../problems.ts";
import { apiHeaders } from "../server.ts";
import { accountOf, firstToGo, type Occupant } from "./connection-places.ts";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a connection is doing: requests under way, and what to do when the last of them is answered. */
interface Connection extends Occupant {
  readonly socket: Socket;
  active: number;
  lastActivity: number;
  /** The request that began last; only its body can still be on its way. */
  latest: IncomingMessage | undefined;
  /** Starts of the requests behind the one that is being answered. */
  waiting: (() => void)[];
  whenIdle: (() => void) | undefined;
}

/**
 * Requests that a connection may have under way. They are answered one after another: a hundred kilobytes of pipelined
 * requests would otherwise be a hundred megabytes of answers, made all at once and held for a client that never reads.
 */
const maximumPipelined = 64;

/** Milliseconds that a refused connection is still read from, so that its client gets to see why. */
const lingerMilliseconds = 500;

export interface TrackOptions {
  handle: RequestListener;
  /** Connections. */
  maximum: number;
  /** What strangers' connections are counted by, of the peer's address; that is undefined on a unix socket. */
  sourceOf: (address: string | undefined) => string;
  now: () => Date;
}

/** The connections of a server. */
export interface Connections {
  /** Ends those that have no request under way; Node's closeIdleConnections spares those that never had one. */
  endSilent(): void;
}

/**
 * Hands a server's requests to `handle`, bounds the number of connections and of the requests of each, and answers, as
 * problems, what Node's parser refuses before there is a request.
 * At more than `maximum` one is ended, as connection-places.ts has it: strangers cannot keep out those who carry tokens.
 */
export function trackConnections(server: Server, options: TrackOptions): Connections {
  const { handle, maximum, sourceOf, now } = options;
  const connections = new Map<Socket, Connection>();
  let activity = 0;
  server.on("connection", (socket: Socket) => {
    activity += 1;
    connections.set(socket, newConnection(socket, sourceOf(socket.remoteAddress), activity));
    socket.once("close", () => connections.delete(socket));
    if (connections.size > maximum) makeRoom(connections, maximum);
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection || socket.destroyed) return;
    if (connection.active >= maximumPipelined) {
      socket.destroy();
      return;
    }
    connection.active += 1;
    connection.latest = request;
    response.once("close", () => {
      activity += 1;
      connection.lastActivity = activity;
      answered(connection, socket);
    });
    if (connection.active === 1) handle(request, response);
    else connection.waiting.push(() => handle(request, response));
  });
  const refused = new WeakSet<Socket>();
  const refuse = (error: Error, socket: Socket): void => {
    // The parser repeats its error for each piece of what follows.
    if (refused.has(socket)) return;
    refused.add(socket);
    const answer = (): void => answerRaw(socket, error, now());
    const connection = connections.get(socket);
    // The answers to the requests before the bad one come first.
    if (connection && isAnswering(connection)) connection.whenIdle = answer;
    else answer();
  };
  server.on("clientError", refuse);
  // Node would close without a word: this is no proxy (RFC 9110 §9.3.6).
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node takes its own listener off a socket that it hands over.
    socket.on("error", () => socket.destroy());
    refuse(new StewardError("malformed_request", "This device is no proxy: it has no CONNECT."), socket);
  });
  return {
    endSilent: () => {
      for (const [socket, { active }] of connections) if (active === 0) socket.destroy();
    },
  };
}

function makeRoom(connections: Map<Socket, Connection>, maximum: number): void {
  const leaving = firstToGo(connections.values(), maximum)?.socket;
  if (leaving === undefined) return;
  // Its close is told later, and the next connection may be here before.
  connections.delete(leaving);
  leaving.destroy();
}

function newConnection(socket: Socket, source: string, activity: number): Connection {
  return {
    ...{ socket, source, active: 0, lastActivity: activity },
    ...{ latest: undefined, waiting: [], whenIdle: undefined },
    get account() {
      return accountOf(socket);
    },
    get isUnfinished() {
      return !isAnswering(this);
    },
  };
}

function answered(connection: Connection, socket: Socket): void {
  connection.active -= 1;
  const next = connection.waiting.shift();
  // After others had their turn, and unless the connection ended meanwhile.
  if (next) setImmediate(() => socket.writable && next());
  if (!isAnswering(connection)) connection.whenIdle?.();
}

/** Requests that arrived whole. One whose body broke off, or never came, is not answered by waiting for it. */
function isAnswering({ active, latest }: Connection): boolean {
  return active > 1 || (active === 1 && latest?.complete === true);
}

function answerRaw(socket: Socket, error: Error, now: Date): void {
  if (!socket.writable || systemErrorCode(error) === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const requestId = randomBytes(9).toString("base64url");
  const clock = { server_time: now.toISOString(), synchronised: null };
  const problem = toProblem(refusalOf(error), requestId, () => clock);
  const headers = {
    ...apiHeaders,
    ...problem.headers,
    "X-Request-Id": requestId,
    Date: now.toUTCString(),
    "Content-Length": String(Buffer.byteLength(problem.text)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n`;
  socket.end(head + problem.text);
  // What still comes is read and thrown away: closing on unread bytes resets the connection, and the answer with it.
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
  socket.once("close", () => clearTimeout(timer));
}

function refusalOf(error: Error): StewardError {
  if (error instanceof StewardError) return error;
  switch (systemErrorCode(error)) {
    case "HPE_HEADER_OVERFLOW":
      return new StewardError("headers_too_large", "The request's headers are larger than 16 KiB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new StewardError(
        "request_timeout",
        "The request did not arrive in time: 10 s for its headers, 25 s in all.",
      );
    default:
      return new StewardError("malformed_request", "This is not an HTTP/1.1 request.");
  }
}
