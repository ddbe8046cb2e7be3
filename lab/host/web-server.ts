import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { Transfer, TransferRequest } from "../../src/host/ports.ts";

/** A real server on loopback. */
export interface WebServer {
  /** Without a slash at its end. */
  url: string;
  port: number;
  /** It was asked for these, in order. */
  requests: IncomingMessage[];
  /** Connections that are open now. */
  open: Set<Socket>;
  stop: () => Promise<void>;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

export function startWebServer(answer: Answerer): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  return listening(server, "http", requests);
}

/** One that answers each connection with bytes of its own making. */
export function startRawServer(answer: (socket: Socket, request: Buffer) => void): Promise<WebServer> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (request) => answer(socket, request));
  });
  return listening(server, "http", []);
}

export async function listening(
  server: Server,
  scheme: string,
  requests: IncomingMessage[],
): Promise<WebServer> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `${scheme}://127.0.0.1:${port}`, port, requests, open },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A request with room to spare, where the test is not about limits. */
export function plainRequest(changes: Partial<TransferRequest> = {}): TransferRequest {
  return {
    headers: {},
    limits: { headSeconds: 5, minimumBytesPerSecond: 1, rateWindowSeconds: 5 },
    signal: new AbortController().signal,
    ...changes,
  };
}

export async function readText({ body }: Transfer): Promise<string> {
  return (await readBytes(body)).toString("latin1");
}

export async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
