import { type IncomingMessage, request as sendRequest } from "node:http";
import type { Duplex } from "node:stream";
import type { Transfer, TransferRequest } from "../../ports.ts";
import { unreachable } from "../../transfer-failure.ts";
import { brokenOff, type ConnectionOptions, connect, mostHeaderBytes } from "./connections.ts";
import type { ReusedBuffer } from "./reused-buffer.ts";
import { placeOf, proxyRefused, refused } from "./transfer-failures.ts";

/** Bytes of all heads of an answer: interim ones may come before it (RFC 9110 §15.2). */
const mostHeadBytes = 4 * mostHeaderBytes;

/** Bytes that may come beside twice the content: trailers, and what Node has read ahead of the reader. */
const besideContentBytes = 131_072;

export interface Answer extends Omit<Transfer, "body"> {
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Exchange {
  /** Ends it at any time. */
  readonly ending: AbortController;
  /** Its request is being written. */
  isSent: boolean;
}

/** Sends one request on a connection of its own and waits for the head of the answer. */
export async function exchange(
  url: URL,
  request: TransferRequest,
  under: Exchange,
  connections: ConnectionOptions,
): Promise<Answer> {
  const { proxy, surroundings } = connections;
  const where = placeOf(url, proxy);
  const { stream, reused } = await connect(url, connections, under.ending.signal, () =>
    under.ending.abort(excess(where)),
  );
  under.isSent = true;
  reused.allow(mostHeadBytes);
  const isAbsolute = proxy !== undefined && url.protocol === "http:";
  const path = `${isAbsolute ? url.origin : ""}${url.pathname}${url.search}`;
  const response = await headOf(stream, path, headersOf(url, request), request.post, (head) => {
    if (plainLength(head) === null) reused.allow(besideContentBytes);
    else reused.takeOver();
  });
  const lengthBytes = plainLength(response);
  if (isAbsolute && response.statusCode === 407) {
    stream.destroy();
    throw proxyRefused(proxy, surroundings, url.host, 407);
  }
  const code = await refusalOf(url, response);
  if (code !== undefined) {
    stream.destroy();
    throw unreachable(where, Object.assign(new Error("nginx"), { code }), surroundings);
  }
  return {
    where,
    status: response.statusCode ?? 0,
    headers: oneEach(response.headers),
    pieces: lengthBytes === null ? parsedBody(response, reused) : plainBody(response, reused, lengthBytes),
    close: () => void stream.destroy(),
  };
}

/** OpenSSL's code for what nginx says in a page: it completes the handshake with every client, and answers 400. */
async function refusalOf({ protocol }: URL, response: IncomingMessage): Promise<string | undefined> {
  if (protocol !== "https:" || response.statusCode !== 400) return undefined;
  await new Promise((resolve) =>
    response.once("readable", resolve).once("close", resolve).once("end", resolve),
  );
  const piece: Uint8Array | null = response.read();
  if (piece === null) return undefined;
  const text = Buffer.from(piece);
  response.unshift(text);
  if (text.includes("No required SSL certificate was sent"))
    return "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";
  return text.includes("The SSL certificate error") ? "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA" : undefined;
}

function excess(where: string): Error {
  return refused(
    `${where} sends far more than its content: interim answers, chunk headers or trailers. ` +
      "Ask who runs it, or what lies between it and this device.",
    true,
  );
}

function headersOf({ host }: URL, { headers, acceptsGzip, post }: TransferRequest): Record<string, string> {
  return {
    ...headers,
    ...(post !== undefined && { "content-length": String(Buffer.byteLength(post)) }),
    ...{ "accept-encoding": acceptsGzip ? "gzip" : "identity", host, connection: "close" },
  };
}

/** `onHead` is called while the piece with the head is parsed, before the next one is. */
function headOf(
  stream: Duplex,
  path: string,
  headers: Record<string, string>,
  post: TransferRequest["post"],
  onHead: (head: IncomingMessage) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = sendRequest({
      ...{ method: post === undefined ? "GET" : "POST", path, headers },
      ...{ maxHeaderSize: mostHeaderBytes, createConnection: () => stream },
    });
    sending.once("response", (head) => {
      // The reader of the body gets the failure.
      head.on("error", () => undefined);
      onHead(head);
      resolve(head);
    });
    sending.on("error", (error) => {
      stream.destroy();
      reject(error);
    });
    // A switch to another protocol closes without an error.
    sending.once("close", () => reject(brokenOff()));
    // As text, Node sends the body with the head. Otherwise a server that answers the head and closes, such as with 404,
    // would reset the connection while the body is written, and its answer would be lost.
    if (post instanceof Uint8Array) sending.end(Buffer.from(post).toString("latin1"), "latin1");
    else sending.end(post);
  });
}

/** The length of a body that needs no parsing; null: it needs parsing, or there is none. */
function plainLength({ statusCode, headers }: IncomingMessage): number | null {
  const length = headers["content-length"] ?? "";
  const isPlain = headers["transfer-encoding"] === undefined && /^[0-9]{1,15}$/.test(length);
  return isPlain && (statusCode === 200 || statusCode === 206) ? Number(length) : null;
}

/** RFC 9112 §6.3 (6): the bytes that came with the head, and then the missing bytes from the connection. */
async function* plainBody(
  response: IncomingMessage,
  reused: ReusedBuffer,
  lengthBytes: number,
): AsyncGenerator<Uint8Array> {
  let missingBytes = lengthBytes;
  const first: Uint8Array | null = response.read();
  if (first !== null) {
    missingBytes -= first.byteLength;
    yield first;
  }
  while (missingBytes > 0) {
    const piece = (await reused.next())?.subarray(0, missingBytes);
    if (piece === undefined) throw brokenOff();
    missingBytes -= piece.byteLength;
    yield piece;
  }
}

/** Everything else of RFC 9112 §6.3. */
async function* parsedBody(response: IncomingMessage, reused: ReusedBuffer): AsyncGenerator<Uint8Array> {
  for await (const piece of response) {
    reused.allow(2 * piece.byteLength);
    yield piece;
  }
}

function oneEach(headers: IncomingMessage["headers"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
