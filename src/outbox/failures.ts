import { STATUS_CODES } from "node:http";
import { messageOf } from "../contract/errors.ts";
import { codingOf, decodedBody } from "../host/answer-body.ts";
import type { Transfer, TransferLimits } from "../host/ports.ts";
import { printableLine } from "../host/printable-text.ts";
import { TransferFailure } from "../host/transfer-failure.ts";
import { type Retry, retry } from "./receiver.ts";

/** Milliseconds for one request with its answer: the default of OpenTelemetry's exporters is as long. */
export const requestMilliseconds = 10_000;

export const requestLimits: TransferLimits = {
  headSeconds: 10,
  minimumBytesPerSecond: 64,
  rateWindowSeconds: 5,
};

/**
 * The outcome of an attempt at a server, for which there are so many milliseconds. Never rejects. `where`: the server, as a
 * sentence names it. `ending`: aborted when the device ends the attempt. `deliver`: gets the signal of both; may throw the
 * error of a connection.
 */
export async function attempt<Result>(
  where: string,
  milliseconds: number,
  ending: AbortSignal,
  deliver: (whole: AbortSignal) => Promise<Result>,
): Promise<Result | Retry> {
  const whole = AbortSignal.any([ending, AbortSignal.timeout(milliseconds)]);
  try {
    return await deliver(whole);
  } catch (error) {
    if (ending.aborted)
      return retry(
        `The delivery to ${where} was cancelled, because the agent stops or its settings have changed.`,
      );
    return retry(whole.aborted ? tooLate(where) : unreached(where, error));
  }
}

/** An answer by HTTP as people know it, such as `204 No Content`. */
export function statusText({ status }: Pick<Transfer, "status">): string {
  return `${status} ${STATUS_CODES[status] ?? ""}`.trim();
}

/** A server's own words behind a sentence about it; empty if it has said nothing. */
export function quoted(words: string): string {
  return printableLine(words, mostQuoted) === "" ? "" : `: ${inQuotes(words)}`;
}

/** Characters of a server's own words. */
const mostQuoted = 200;

export function inQuotes(words: string): string {
  return `“${printableLine(words, mostQuoted)}”`;
}

/** The first bytes of an answer, unpacked where a proxy has compressed it unasked; the transfer ends. */
export async function beginningOf(answer: Transfer, mostBytes: number): Promise<Buffer> {
  const isPacked = codingOf(answer) === "gzip";
  const body = isPacked ? decodedBody("the answer", answer, 16 * mostBytes) : answer.body;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      // A copy, because the memory of a piece is used again for the next one.
      pieces.push(Buffer.from(piece.subarray(0, mostBytes - bytes)));
      bytes += piece.byteLength;
      if (bytes >= mostBytes) break;
    }
  } catch {
    // The status has decided; its explanation may be cut off.
  } finally {
    answer.close();
  }
  return Buffer.concat(pieces);
}

/** The sentences about a receiver's server that no message reached. `where`: its host. `cause`: of the connection. */
export function unreached(where: string, cause: unknown): string {
  if (!(cause instanceof TransferFailure)) return `The delivery to ${where} failed: ${messageOf(cause)}.`;
  const { kind, reason, message, isSent } = cause;
  if (kind === "too_slow") return tooLate(where);
  if (reason === "local_server") return `${message} Nothing was sent. Set another address.`;
  if (isSent) return message;
  const isOfNetwork = kind === "unreachable" && reason === null;
  return `${message} Nothing was sent.${isOfNetwork ? ` ${adviceForNetwork}` : ""}`;
}

const adviceForNetwork =
  "Check the address of the receiver, and the network and the name servers of this device.";

/** The sentences about a server that took too long. */
export function tooLate(where: string): string {
  return `${where} did not answer in time. Check that it runs, and that this device reaches it.`;
}
