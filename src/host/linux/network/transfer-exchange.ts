import { type IncomingMessage, request as sendRequest } from "node:http";
import type { Duplex } from "node:stream";
import type { Transfer, TransferRequest } from "../../ports.ts";
import { type ConnectionOptions, connect, mostHeaderBytes } from "./connections.ts";
import type { ReusedBuffer } from "./reused-buffer.ts";
import { pacedBody } from "./transfer-body.ts";
import { refused, unreachable } from "./transfer-failures.ts";

/**
 * Sends one request on a connection of its own and waits for the head of the answer. `opening` aborts it until then, and
 * the signal of the request afterwards.
 */
export async function exchange(
  url: URL,
  { headers, acceptsGzip, post, limits, signal: whole }: TransferRequest,
  opening: AbortSignal,
  connections: ConnectionOptions,
): Promise<Transfer> {
  const { stream, reused } = await connect(url, connections, opening);
  const isAbsolute = connections.proxy !== undefined && url.protocol === "http:";
  const response = await headOf(stream, opening, reused, {
    post,
    path: isAbsolute ? `${url.origin}${url.pathname}${url.search}` : `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      ...(post !== undefined && { "content-length": String(Buffer.byteLength(post)) }),
      ...{ "accept-encoding": acceptsGzip ? "gzip" : "identity", host: url.host, connection: "close" },
    },
  });
  const lengthBytes = plainLength(response);
  const encoding = response.headers["content-encoding"] ?? "";
  if (!(acceptsGzip ? plainOrGzip : plain).test(encoding.trim())) {
    stream.destroy();
    const asked = acceptsGzip ? "only gzip was" : "none was";
    throw refused(
      `${url.host} sent the file with the encoding ${JSON.stringify(encoding)}, although ${asked} asked for.`,
    );
  }
  const { body, close } = pacedBody({
    pieces:
      reused === null || lengthBytes === null
        ? response[Symbol.asyncIterator]()
        : plainBody(response, reused, lengthBytes),
    ...{ limits, signal: whole, where: url.host },
    release: () => {
      whole.removeEventListener("abort", close);
      stream.destroy();
    },
    failure: (cause) => unreachable(url, cause),
  });
  // The signal also ends a transfer that is not being read.
  whole.addEventListener("abort", close);
  return { status: response.statusCode ?? 0, headers: oneEach(response.headers), body, close };
}

const plain = /^(identity)?$/i;
const plainOrGzip = /^(identity|(x-)?gzip)?$/i;

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
    if (piece === undefined) throw Object.assign(new Error("the body is truncated"), { code: "ECONNRESET" });
    missingBytes -= piece.byteLength;
    yield piece;
  }
}

function headOf(
  stream: Duplex,
  signal: AbortSignal,
  reused: ReusedBuffer | null,
  { path, headers, post }: Pick<TransferRequest, "post"> & { path: string; headers: Record<string, string> },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sending = sendRequest({
      ...{ method: post === undefined ? "GET" : "POST", path, headers, maxHeaderSize: mostHeaderBytes },
      createConnection: () => stream,
    });
    sending.once("response", (response) => {
      // The reader of the body gets the failure.
      response.on("error", () => undefined);
      // While the first piece is parsed: the parser must not get the next one.
      if (plainLength(response) !== null) reused?.takeOver();
      resolve(response);
    });
    sending.on("error", (error) => {
      stream.destroy();
      reject(signal.aborted ? signal.reason : error);
    });
    // As text, Node sends the body with the head. Otherwise a server that answers the head and closes, such as with 404,
    // would reset the connection while the body is written, and its answer would be lost.
    if (post instanceof Uint8Array) sending.end(Buffer.from(post).toString("latin1"), "latin1");
    else sending.end(post);
  });
}

function oneEach(headers: IncomingMessage["headers"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
