import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Behaviour, Exchange } from "./hostile-server.ts";
import { sha256 } from "./signing-key.ts";

/** As an honest server does it (RFC 9110 §13–14): ETag, 304, one range, If-Range; 404 where there is nothing. */
export function serveFile(exchange: Exchange): void {
  serveBytes(exchange, exchange.file);
}

/** Other bytes than those that lie there, honestly served. */
export function instead(bytes: Buffer | undefined): Behaviour {
  return (exchange) => serveBytes(exchange, bytes);
}

/** Further headers on an otherwise honest answer. */
export function withHeaders(headers: Readonly<Record<string, string>>): Behaviour {
  return (exchange) => serveBytes(exchange, exchange.file, headers);
}

/** Runs `change` before it answers, by default with the file that is then there. */
export function after(change: (exchange: Exchange) => void, then: Behaviour = serveFile): Behaviour {
  return (exchange) => {
    change(exchange);
    return then(exchange);
  };
}

/** The nth request gets the nth behaviour, every later one the last. */
export function inTurn(...behaviours: readonly Behaviour[]): Behaviour {
  return (exchange) => (behaviours[exchange.count - 1] ?? behaviours.at(-1) ?? serveFile)(exchange);
}

export function answering(
  status: number,
  body: Buffer | string = "",
  headers: Readonly<Record<string, string>> = {},
): Behaviour {
  return ({ response }) => void response.writeHead(status, headers).end(body);
}

export function redirectTo(location: string, status = 302): Behaviour {
  return answering(status, "", { location });
}

/** Bytes without end, as fast as they are taken; the head may promise a length. */
export function endless(
  headers: Readonly<Record<string, string>> = {},
  chunk = Buffer.alloc(65_536, 0x20),
): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, headers);
    const closed = once(response, "close");
    while (!response.destroyed) {
      if (!response.write(chunk)) await Promise.race([once(response, "drain"), closed]);
    }
  };
}

/** The head, and then `bytes` of the file every `milliseconds`; after the file, blanks without end. */
export function dripping(bytes: number, milliseconds: number): Behaviour {
  return async ({ response, file = Buffer.alloc(0) }) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    for (let sent = 0; !response.destroyed; sent += bytes) {
      const next = file.subarray(sent, sent + bytes);
      response.write(next.length > 0 ? next : Buffer.alloc(bytes, 0x20));
      await delay(milliseconds);
    }
  };
}

/** Takes the request and never says a word. */
export function silent(): Behaviour {
  return () => undefined;
}

/** A head that trickles in, a byte every `milliseconds`, and never ends. */
export function drippingHead(milliseconds: number): Behaviour {
  return async ({ request: { socket } }) => {
    const head = `HTTP/1.1 200 OK\r\nx-padding: ${"a".repeat(10_000)}`;
    for (const byte of head) {
      if (socket.destroyed) return;
      socket.write(byte);
      await delay(milliseconds);
    }
  };
}

/** Promises the whole file, sends its first bytes and breaks the connection. A range is honoured first. */
export function cutAfter(bytes: number): Behaviour {
  return ({ request, response, file = Buffer.alloc(0) }) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const part = file.subarray(from);
    const range = from > 0 ? { "content-range": `bytes ${from}-${file.length - 1}/${file.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, {
      ...validators(file),
      ...range,
      "content-length": part.length,
    });
    // The bytes must be on their way before the connection breaks.
    response.write(part.subarray(0, bytes), () => setImmediate(() => response.destroy()));
  };
}

/** Serves only the first bytes, as if they were all. */
export function truncatedTo(bytes: number): Behaviour {
  return (exchange) => serveBytes(exchange, exchange.file?.subarray(0, bytes));
}

/** Compressed, whether the request accepts it or not. */
export function gzipped(bytes?: Buffer): Behaviour {
  return (exchange) => {
    const content = bytes ?? exchange.file;
    return content === undefined ? serveBytes(exchange, undefined) : packedAs(gzipSync(content))(exchange);
  };
}

/** These bytes, which are said to be compressed so. */
export function packedAs(body: Buffer, coding = "gzip"): Behaviour {
  return ({ response }) =>
    void response.writeHead(200, { "content-encoding": coding, "content-length": body.length }).end(body);
}

/** The whole file whatever range is asked for. */
export function deafToRanges(): Behaviour {
  return ({ response, file = Buffer.alloc(0) }) =>
    void response.writeHead(200, { ...validators(file), "content-length": file.length }).end(file);
}

function serveBytes(
  { request, response }: Exchange,
  bytes: Buffer | undefined,
  more: Readonly<Record<string, string>> = {},
): void {
  if (!bytes)
    return void response.writeHead(404, { "content-type": "text/plain", ...more }).end("not found\n");
  const head = { ...validators(bytes), "accept-ranges": "bytes", ...more };
  const etag = head.etag;
  if (request.headers["if-none-match"]?.split(/\s*,\s*/).includes(etag)) {
    return void response.writeHead(304, head).end();
  }
  const asked = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const condition = request.headers["if-range"];
  if (!asked || (condition !== undefined && condition !== etag && condition !== head["last-modified"])) {
    return void response.writeHead(200, { ...head, "content-length": bytes.length }).end(bytes);
  }
  const from = Number(asked[1]);
  const to = asked[2] ? Math.min(Number(asked[2]), bytes.length - 1) : bytes.length - 1;
  if (from >= bytes.length) {
    return void response.writeHead(416, { "content-range": `bytes */${bytes.length}` }).end();
  }
  const range = { "content-range": `bytes ${from}-${to}/${bytes.length}`, "content-length": to - from + 1 };
  response.writeHead(206, { ...head, ...range }).end(bytes.subarray(from, to + 1));
}

function validators(bytes: Buffer): { etag: string; "last-modified": string; "content-type": string } {
  return {
    etag: `"${sha256(bytes).slice(0, 32)}"`,
    "last-modified": "Thu, 01 Oct 2026 12:00:00 GMT",
    "content-type": "application/octet-stream",
  };
}
