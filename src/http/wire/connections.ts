import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { toProblem } from "../problems.ts";
import { accountOf, firstToGo, type HeldConnection, longestWaiting } from "./connection-places.ts";
import { createRequestQueue, type RequestQueue, type WaitingRequest } from "./request-queue.ts";
import { type Answering, endUnreadBeyond, endUnreadIn } from "./unread-answers.ts";
import { isUploading } from "./uploads.ts";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** The connections of the unix socket, as its listener marks them. */
export const localSockets = new WeakSet<object>();

/** Headers of every answer of the API. The link is RFC 8631's: it leads to the description of the API. */
export const apiHeaders = {
  Link: '</api/openapi.json>; rel="service-desc"; type="application/json"',
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** A connection with its requests under way, and the actions after the last of them is answered. */
interface Connection extends HeldConnection, WaitingRequest {
  readonly socket: Socket;
  active: number;
  lastActivity: number;
  /** The request that began last: only its body can still be arriving. */
  latest: IncomingMessage | undefined;
  /** Start the requests that have not begun. */
  readonly waiting: (() => void)[];
  whenAnswered: (() => void) | undefined;
  whenIdle: (() => void) | undefined;
}

/**
 * Requests that a connection may have under way, with a client known by a valid token, or a stranger. They are answered
 * one after another: otherwise a hundred kilobytes of pipelined requests would become a hundred megabytes of answers at
 * once, held for a client that never reads. Browsers and usual libraries do not pipeline at all.
 */
const maximumPipelined = { known: 64, stranger: 4 } as const;

/** All servers share it, as they share one event loop. */
const allRequests = createRequestQueue();

/** The connections of all servers that have a request under way. */
const underWay = new Set<Answering>();

/** Milliseconds for which a refused connection is still read, so that its client receives the reason. */
const lingerMilliseconds = 500;

export interface TrackOptions {
  handle: RequestListener;
  maximum: number;
  /** Connections of one client that have carried no valid token; beyond this number one of them is ended. */
  ofOneStranger?: number;
  /** The event that brings a connection; with TLS it is the end of its handshake. */
  opens?: "connection" | "secureConnection";
  /** The key that strangers' connections count by, from the peer's address, which a unix socket has not. */
  clientKeyOf: (address: string | undefined) => string;
  now: () => Date;
  /** The order in which requests begin; usually that of the whole process. */
  queue?: RequestQueue;
}

export type Connections = ReturnType<typeof trackConnections>;

/**
 * Passes a server's requests to `handle`, bounds the number of connections and of the requests of each, and answers
 * with problems if Node's parser refuses a request. Beyond `maximum` connections one is ended by the rule of
 * connection-places.ts: strangers cannot keep out users with valid tokens.
 */
export function trackConnections(server: Server | HttpsServer, options: TrackOptions) {
  const { handle, opens = "connection", clientKeyOf: keyOf, now, queue = allRequests } = options;
  const connections = new Map<Socket, Connection>();
  let activity = 0;
  endUnreadIn(server);
  server.on(opens, (socket: Socket) => {
    activity += 1;
    connections.set(socket, newConnection(socket, keyOf(socket.remoteAddress), activity));
    socket.once("close", () => connections.delete(socket));
    end(connections, oneTooMany(connections, socket, options));
  });
  // An unknown expectation is ignored (RFC 9110 §10.1.1), and the request counted like any other. The go-ahead for a body
  // is given when it is read: a request that is refused before that costs its client no bytes.
  for (const expectation of ["checkExpectation", "checkContinue"])
    server.on(expectation, (request, response) => server.emit("request", request, response));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection || socket.destroyed) return;
    if (isFull(connection)) return void socket.destroy();
    connection.active += 1;
    connection.latest = request;
    response.once("close", () => {
      activity += 1;
      connection.lastActivity = activity;
      answered(connection, queue);
    });
    connection.waiting.push(() => handle(request, response));
    if (connection.active === 1) queue.add(connection);
  });
  const refused = new WeakSet<Socket>();
  const refuse = (error: Error, socket: Socket): void => {
    // The parser repeats its error for each further piece.
    if (refused.has(socket) || mayTakeLonger(error, socket)) return;
    refused.add(socket);
    const answer = (): void => answerRaw(socket, error, now());
    const connection = connections.get(socket);
    // A handshake has failed: there is nothing to answer through.
    if (!connection && opens === "secureConnection") return void socket.destroy();
    // The answers to the requests before the bad one come first.
    if (connection && isAnswering(connection)) connection.whenIdle = answer;
    else answer();
  };
  server.on("clientError", refuse);
  // CONNECT (RFC 9110 §9.3.6): Node would close the connection without an answer.
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node removes its own listener from a socket that it hands over.
    socket.on("error", () => socket.destroy());
    refuse(new StewardError("malformed_request", "This device is not a proxy for CONNECT."), socket);
  });
  return {
    /** Ends those without a request under way; Node's closeIdleConnections keeps those that never had one. */
    endSilent: (): void => {
      for (const [socket, { active }] of connections) if (active === 0) socket.destroy();
    },
  };
}

/** The connection that has to make room for the newest one, if any. */
function oneTooMany(
  connections: ReadonlyMap<Socket, Connection>,
  newest: Socket,
  { maximum, ofOneStranger }: TrackOptions,
): Connection | undefined {
  const all = [...connections.values()];
  const key = connections.get(newest)?.clientKey;
  if (ofOneStranger !== undefined) {
    const own = all.filter(({ account, clientKey }) => account === undefined && clientKey === key);
    if (own.length > ofOneStranger) return longestWaiting(own);
  }
  return all.length > maximum ? firstToGo(all, maximum) : undefined;
}

function end(connections: Map<Socket, Connection>, leaving: Connection | undefined): void {
  if (leaving === undefined) return;
  // Its close event comes later, perhaps after the next connection.
  connections.delete(leaving.socket);
  leaving.socket.destroy();
}

function newConnection(socket: Socket, clientKey: string, activity: number): Connection {
  return {
    ...{ socket, clientKey, active: 0, lastActivity: activity },
    ...{ latest: undefined, waiting: [], whenAnswered: undefined, whenIdle: undefined },
    get account() {
      return accountOf(socket);
    },
    get isUnfinished() {
      return !isAnswering(this);
    },
    begin(answered) {
      const begin = this.waiting.shift();
      this.whenAnswered = answered;
      // It may have ended while it waited.
      if (!begin || !socket.writable) return answered();
      endUnreadBeyond(underWay);
      underWay.add(this);
      begin();
    },
  };
}

function answered(connection: Connection, queue: RequestQueue): void {
  connection.active -= 1;
  underWay.delete(connection);
  if (connection.waiting.length > 0) queue.add(connection);
  if (!isAnswering(connection)) connection.whenIdle?.();
  connection.whenAnswered?.();
}

function isFull({ active, account }: Connection): boolean {
  return active >= maximumPipelined[account === undefined ? "stranger" : "known"];
}

/** True while it still answers requests that arrived completely. A request whose body never comes is not waited for. */
function isAnswering({ active, latest }: Connection): boolean {
  return active > 1 || (active === 1 && latest?.complete === true);
}

/** Uploads have limits of their own (uploads.ts). */
function mayTakeLonger(error: Error, socket: Socket): boolean {
  return systemErrorCode(error) === "ERR_HTTP_REQUEST_TIMEOUT" && isUploading(socket);
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
  // Further bytes are read and discarded: closing on unread bytes resets the connection, and the answer is lost.
  const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
  socket.once("close", () => clearTimeout(timer));
}

function refusalOf(error: Error): StewardError {
  if (error instanceof StewardError) return error;
  switch (systemErrorCode(error)) {
    case "HPE_HEADER_OVERFLOW":
      return new StewardError("headers_too_large", "The headers of the request are larger than 16 KiB.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new StewardError(
        "request_timeout",
        "The request did not arrive in time: its headers have 10 seconds, all of it 25 seconds.",
      );
    default:
      return new StewardError("malformed_request", "This is not an HTTP/1.1 request.");
  }
}
