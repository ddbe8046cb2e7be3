import { randomBytes } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { StewardError, systemErrorCode } from "../errors.ts";
import { toProblem } from "./problems.ts";

/** What a connection is doing: requests under way, and what to do when the last of them is answered. */
interface Connection {
  active: number;
  whenIdle: (() => void) | undefined;
}

/**
 * Bounds the number of connections and answers, as problems, what Node's parser refuses before there is a request.
 * At more than `maximum` the connection that has been without a request for longest is ended, so that connections
 * which say nothing cannot keep out those that do.
 */
export function trackConnections(server: Server, maximum: number, now: () => Date): void {
  // In order of their last activity: a Map keeps the order in which its keys were set.
  const connections = new Map<Socket, Connection>();
  const touch = (socket: Socket, connection: Connection): void => {
    connections.delete(socket);
    connections.set(socket, connection);
  };
  server.on("connection", (socket: Socket) => {
    connections.set(socket, { active: 0, whenIdle: undefined });
    socket.once("close", () => connections.delete(socket));
    if (connections.size > maximum) longestSilent(connections)?.destroy();
  });
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (!connection) return;
    connection.active += 1;
    touch(request.socket, connection);
    response.once("close", () => {
      connection.active -= 1;
      if (connection.active > 0) return;
      if (connections.has(request.socket)) touch(request.socket, connection);
      connection.whenIdle?.();
    });
  });
  server.on("clientError", (error: Error, socket: Socket) => {
    const refuse = (): void => answerRaw(socket, error, now());
    const connection = connections.get(socket);
    // The answers to the requests before the bad one come first.
    if (connection && connection.active > 0) connection.whenIdle = refuse;
    else refuse();
  });
}

function longestSilent(connections: ReadonlyMap<Socket, Connection>): Socket | undefined {
  for (const [socket, connection] of connections) if (connection.active === 0) return socket;
  // All are at work: the newest has to go, or there would be no bound.
  return [...connections.keys()].at(-1);
}

function answerRaw(socket: Socket, error: Error, now: Date): void {
  if (!socket.writable || systemErrorCode(error) === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const requestId = randomBytes(9).toString("base64url");
  const problem = toProblem(refusalOf(error), requestId, now);
  const headers = {
    ...problem.headers,
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": String(Buffer.byteLength(problem.text)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n`;
  socket.end(head + problem.text, () => socket.destroy());
}

function refusalOf(error: Error): StewardError {
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
