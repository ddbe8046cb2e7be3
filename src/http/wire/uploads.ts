import type { IncomingMessage, ServerResponse } from "node:http";
import { StewardError } from "../../contract/errors.ts";
import type { Upload } from "../../contract/types.ts";
import { isCoded } from "../read-json.ts";
import type { Lasting } from "./lasting-requests.ts";

export interface UploadOptions {
  readonly maximumBytes: number;
  /** It ends the reading, judges its sender once more after the last byte, and is over with it. */
  readonly lasting: Lasting;
  readonly patienceMilliseconds?: number;
}

/** Milliseconds for which the agent waits for the next piece: the client is gone, or only holds a place. */
const longestWait = 60_000;

/** Milliseconds for which the rest of a refused upload is read, so that its client comes to read the answer. */
const discardMilliseconds = 30_000;

/** The connections on which an upload arrives: the time for a whole request does not apply to them. */
const connections = new WeakSet<object>();

/** True while an upload arrives on this connection; it has the limits of this file. */
export function isUploading(socket: object): boolean {
  return connections.has(socket);
}

/**
 * The body of a request as a file on its way, which can be read once. Nothing is read before its reader asks, and no more
 * than it takes; a client that waits for a go-ahead (RFC 9110 §10.1.1) gets it then. Throws `unsupported_media_type` and
 * `payload_too_large`; reading throws `payload_too_large`, `request_timeout`, and the reason why it must end.
 */
export function readUpload(
  request: IncomingMessage,
  response: ServerResponse,
  options: UploadOptions,
): Upload {
  const { socket } = request;
  connections.add(socket);
  request.once("close", () => connections.delete(socket));
  const lengthBytes = announcedBytes(request, options);
  return { lengthBytes, [Symbol.asyncIterator]: () => piecesOf(request, response, options) };
}

/** Tells a client that waits for it to send its body. */
export function goAhead(request: IncomingMessage, response: ServerResponse): void {
  if (isHeldBack(request)) response.writeContinue();
}

/** Discards the rest of a refused upload: unread bytes would reset the connection. False: there is none, or no right. */
export function discardRest(request: IncomingMessage, status: number): boolean {
  if (!isUploading(request.socket) || isHeldBack(request) || status === 401 || status === 403) return false;
  const timer = setTimeout(() => request.socket.destroy(), discardMilliseconds).unref();
  request.once("close", () => clearTimeout(timer));
  // The listener of the last reading is gone by then.
  setImmediate(() => request.resume());
  return true;
}

/** The client waits for a go-ahead, and not a byte of the body has come. */
function isHeldBack({ headers, readableDidRead }: IncomingMessage): boolean {
  return !readableDidRead && /^100-continue$/i.test(headers.expect ?? "");
}

/** null: the client does not say. */
function announcedBytes({ headers }: IncomingMessage, { maximumBytes }: UploadOptions): number | null {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/octet-stream" || isCoded(headers))
    throw new StewardError(
      "unsupported_media_type",
      "Send the file as it is, with `Content-Type: application/octet-stream` and without a content coding.",
    );
  const length = headers["content-length"];
  if (length === undefined) return null;
  if (Number(length) > maximumBytes) throw tooLarge(maximumBytes);
  return Number(length);
}

async function* piecesOf(
  request: IncomingMessage,
  response: ServerResponse,
  { maximumBytes, lasting, patienceMilliseconds = longestWait }: UploadOptions,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    lasting.signal.throwIfAborted();
    goAhead(request, response);
    for (;;) {
      const piece = await nextPiece(request, patienceMilliseconds, lasting.signal);
      if (piece === null) return await lasting.requireStill();
      bytes += piece.length;
      if (bytes > maximumBytes) throw tooLarge(maximumBytes);
      yield piece;
    }
  } finally {
    lasting.over();
  }
}

/** The bytes that have come; null: that was all. Rejects with `request_timeout` after these milliseconds. */
async function nextPiece(
  request: IncomingMessage,
  milliseconds: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  signal.throwIfAborted();
  const present = request.read() as Buffer | null;
  if (present !== null) return present;
  if (request.readableEnded) return null;
  if (request.destroyed) throw brokenOff();
  return new Promise((resolve, reject) => {
    const settled = (): void => {
      clearTimeout(timer);
      request.off("readable", take).off("end", end).off("error", breakOff).off("close", breakOff);
      signal.removeEventListener("abort", stop);
    };
    const take = (): void => {
      const piece = request.read() as Buffer | null;
      if (piece === null) return;
      settled();
      resolve(piece);
    };
    const end = (): void => {
      settled();
      resolve(null);
    };
    const fail = (why: unknown): void => {
      settled();
      reject(why);
    };
    const breakOff = (): void => fail(brokenOff());
    const stop = (): void => fail(signal.reason);
    const timer = setTimeout(() => fail(tooSlow()), milliseconds);
    signal.addEventListener("abort", stop);
    request.on("readable", take).on("end", end).on("error", breakOff).on("close", breakOff);
  });
}

function tooLarge(maximumBytes: number): StewardError {
  return new StewardError(
    "payload_too_large",
    `The file is larger than the ${maximumBytes / 1024 ** 2} MiB that are taken here. Nothing was changed.`,
  );
}

function tooSlow(): StewardError {
  return new StewardError(
    "request_timeout",
    "The file stopped arriving: nothing of it came within a minute. Nothing was changed; send it again.",
  );
}

function brokenOff(): StewardError {
  return new StewardError(
    "request_timeout",
    "The connection ended before the file was complete. Nothing was changed; send it again.",
  );
}
