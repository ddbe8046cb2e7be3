import { type IncomingMessage, request as sendRequest } from "node:http";
import type { Duplex } from "node:stream";
import type { Transfer, TransferRequest } from "../../ports.ts";
import { type ConnectionOptions, connect, mostHeaderBytes } from "./connections.ts";
import type { ReusedBuffer } from "./reused-buffer.ts";
import { pacedBody } from "./transfer-body.ts";
import { refused, unreachable } from "./transfer-failures.ts";

/**
 * One request on a connection of its own, and the head of its answer. `opening` ends it until the head is there, the
 * request's own signal from then on.
 */
export async function exchange(
  url: URL,
  { headers, limits, signal: whole }: TransferRequest,
  opening: AbortSignal,
  connections: ConnectionOptions,
): Promise<Transfer> {
  const { stream, reused } = await connect(url, connections, opening);
  const isAbsolute = connections.proxy !== undefined && url.protocol === "http:";
  const response = await headOf(stream, opening, reused, {
    path: isAbsolute ? `${url.origin}${url.pathname}${url.search}` : `${url.pathname}${url.search}`,
    headers: { ...headers, "accept-encoding": "identity", host: url.host, connection: "close" },
  });
  const lengthBytes = plainLength(response);
  const encoding = response.headers["content-encoding"] ?? "";
  if (!/^(identity)?$/i.test(encoding.trim())) {
    stream.destroy();
    throw refused(`${url.host} sent the file with the encoding ${JSON.stringify(encoding)}, unasked.`);
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
  // A transfer that nobody reads must not outlive the signal either.
  whole.addEventListener("abort", close);
  return { status: response.statusCode ?? 0, headers: oneEach(response.headers), body, close };
}

/** Bytes of a body that needs no parsing; null: one that does, or none. */
function plainLength({ statusCode, headers }: IncomingMessage): number | null {
  const length = headers["content-length"] ?? "";
  const isPlain = headers["transfer-encoding"] === undefined && /^[0-9]{1,15}$/.test(length);
  return isPlain && (statusCode === 200 || statusCode === 206) ? Number(length) : null;
}

/** RFC 9112 §6.3 (6): what came with the head, and then as many bytes of the connection as are missing. */
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
    if (piece === undefined) throw Object.assign(new Error("the body was cut off"), { code: "ECONNRESET" });
    missingBytes -= piece.byteLength;
    yield piece;
  }
}

function headOf(
  stream: Duplex,
  signal: AbortSignal,
  reused: ReusedBuffer | null,
  { path, headers }: { path: string; headers: Record<string, string> },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = sendRequest({
      ...{ method: "GET", path, headers, maxHeaderSize: mostHeaderBytes },
      createConnection: () => stream,
    });
    asking.once("response", (response) => {
      // Whoever reads it hears of the failure; nobody else needs to.
      response.on("error", () => undefined);
      // Now, while the first piece is being parsed: the parser must not see the next one.
      if (plainLength(response) !== null) reused?.takeOver();
      resolve(response);
    });
    asking.on("error", (error) => {
      stream.destroy();
      reject(signal.aborted ? signal.reason : error);
    });
    asking.end();
  });
}

function oneEach(headers: IncomingMessage["headers"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}
