import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { systemErrorCode } from "../contract/errors.ts";
import type { Transfer } from "./ports.ts";
import { TransferFailure } from "./transfer-failure.ts";
import { isCalledPage } from "./web-page.ts";

/** The content coding of an answer (RFC 9110 §8.4); null: one that is not understood. */
export function codingOf({ headers }: Pick<Transfer, "headers">): "identity" | "gzip" | null {
  const coding = headers["content-encoding"]?.trim() ?? "";
  if (/^(identity)?$/i.test(coding)) return "identity";
  return /^(x-)?gzip$/i.test(coding) ? "gzip" : null;
}

/**
 * The content of an answer, unpacked if the server has compressed it. What unpacks to more ends at the limit, whatever it
 * would be in all. Throws TransferFailure: `too_large`, and `refused` for what is no gzip, or cut off, and for any other
 * coding.
 */
export async function* decodedBody(
  name: string,
  transfer: Transfer,
  maximumBytes: number,
): AsyncGenerator<Uint8Array> {
  const coding = codingOf(transfer);
  if (coding === null) {
    const asked = JSON.stringify(transfer.headers["content-encoding"]);
    throw refused(
      `The server sent ${JSON.stringify(name)} with the content coding ${asked}, which was not asked for.`,
    );
  }
  // Bytes that cannot be compressed grow, and empty members could follow for ever.
  const mostSentBytes = coding === "identity" ? maximumBytes : Math.ceil(maximumBytes * 1.01) + 1_024;
  const isTooLong = Number(transfer.headers["content-length"]) > mostSentBytes;
  if (isTooLong && !isCalledPage(transfer)) throw tooLong(name, maximumBytes);
  const sent = within(name, transfer.body, mostSentBytes);
  if (coding === "identity") return yield* sent;
  const unpacking = createGunzip();
  // A failure is thrown where it is read.
  pipeline(copied(sent), unpacking, () => undefined);
  try {
    yield* within(name, unpacking, maximumBytes);
  } catch (cause) {
    const code = systemErrorCode(cause) ?? "";
    if (!code.startsWith("Z_")) throw cause;
    throw refused(
      `The server sent ${JSON.stringify(name)} as gzip that cannot be unpacked (${code}).`,
      cause,
    );
  }
}

/** The whole content; see `decodedBody`. */
export function readAnswer(name: string, transfer: Transfer, maximumBytes: number): Promise<Buffer> {
  return gathered(decodedBody(name, transfer, maximumBytes));
}

export async function gathered(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of copied(content)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function* within(
  name: string,
  body: AsyncIterable<Uint8Array>,
  maximumBytes: number,
): AsyncGenerator<Uint8Array> {
  let lengthBytes = 0;
  for await (const piece of body) {
    const roomBytes = maximumBytes - lengthBytes;
    lengthBytes += piece.byteLength;
    // Its beginning may say more than its length.
    yield piece.subarray(0, roomBytes);
    if (lengthBytes > maximumBytes) throw tooLong(name, maximumBytes);
  }
}

/** The memory of a piece is used again for the next one. */
async function* copied(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of body) yield Buffer.from(piece);
}

function tooLong(name: string, maximumBytes: number): TransferFailure {
  return new TransferFailure("too_large", `${JSON.stringify(name)} is longer than ${maximumBytes} bytes.`, {
    isSent: true,
  });
}

function refused(message: string, cause?: unknown): TransferFailure {
  return new TransferFailure("refused", message, { cause, isSent: true });
}
