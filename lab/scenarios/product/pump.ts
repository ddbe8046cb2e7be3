/**
 * The product: it refuses what has not passed Steward, says of each other request how it arrived, begins a stream of events,
 * and sends back all that comes over a WebSocket.
 */
const program = String.raw`"use strict";
const { readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const gate = readFileSync(process.env.CREDENTIALS_DIRECTORY + "/gate", "utf8").trim();
const hasPassed = ({ headers }) => headers["steward-gate"] === gate;
const server = createServer((request, response) => {
  if (!hasPassed(request)) return response.writeHead(403).end("not through Steward");
  if (request.url === "/events") {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    return response.write("data: the only event\n\n");
  }
  let bytes = 0;
  request.on("data", (chunk) => (bytes += chunk.length));
  request.on("end", () => {
    const { method, url, rawHeaders } = request;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ method, url, rawHeaders, bytes }));
  });
});
server.on("upgrade", (request, socket) => {
  if (!hasPassed(request)) return socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  socket.on("error", () => undefined);
  socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  socket.pipe(socket);
});
server.listen(9000, "127.0.0.1");
`;

const unit = `[Unit]
Description=The product of the scenario
[Service]
Type=exec
DynamicUser=yes
LoadCredential=gate:/etc/steward/pump-gate
ExecStart=/usr/lib/steward-vm/node /usr/lib/pump/pump.cjs
`;

/** The product's files in the machine. */
export const pumpFiles = {
  "/usr/lib/pump/pump.cjs": program,
  "/etc/systemd/system/pump.service": unit,
} as const;

/** A request as it arrived at the product. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly bytes: number;
  /** The values of a header; empty where it did not come, or came without a value. */
  readonly values: (name: string) => string;
  /** The names of the headers as they were sent. */
  readonly names: readonly string[];
}

/** Undefined: this is no answer of the product's. */
export function arrivedIn(text: string): Arrived | undefined {
  if (!text.startsWith('{"method":')) return undefined;
  const { rawHeaders, ...rest } = JSON.parse(text) as Omit<Arrived, "values" | "names"> & {
    rawHeaders: string[];
  };
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
  const values = (wanted: string) =>
    pairs.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : [])).join("; ");
  return { ...rest, values, names: pairs.map(([name]) => name) };
}
