import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { StewardError } from "../contract/errors.ts";
import { jsonOf } from "../contract/text/json-of.ts";
import { textOf } from "../contract/text/text-of.ts";
import type { Actor } from "./call.ts";

export interface BodyLimits {
  readonly bytes: number;
  /** For the whole request; null: the listener's bound applies. */
  readonly milliseconds: number | null;
}

/** For root on the device: a configuration with all its users. */
export const rootsBody: BodyLimits = { bytes: 512 * 1024, milliseconds: null };

/** Bounds for requests with a valid token. */
export const usualBody: BodyLimits = { bytes: 64 * 1024, milliseconds: null };

/** Bounds for all others, who must not hold connection and memory for long. The longest password fits, also escaped. */
export const strangersBody: BodyLimits = { bytes: 4 * 1024, milliseconds: 5_000 };

export function bodyLimitsOf(actor: Actor["kind"]): BodyLimits {
  if (actor === "local-root") return rootsBody;
  return actor === "anonymous" ? strangersBody : usualBody;
}

/** Bytes of a known caller's oversize body that are read and discarded, so that the client receives the answer. */
const maximumDrainedBytes = 1024 * 1024;

/** Reads a JSON body. Throws `unsupported_media_type`, `payload_too_large`, `malformed_json`, `request_timeout`. */
export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  if (!isJson(request.headers["content-type"]) || isCoded(request.headers)) {
    throw new StewardError(
      "unsupported_media_type",
      "Send the body as uncompressed UTF-8 JSON with `Content-Type: application/json`.",
    );
  }
  const bytes = await readBytes(request, limits);
  const refuse = (why: string) => new StewardError("malformed_json", `The body ${why}. Nothing was changed.`);
  if (!isUtf8(bytes) || bytes.includes(0)) {
    textOf(bytes, { refuse });
    // A program that reads it before this one takes it for UTF-8, whatever it begins with.
    throw refuse("is UTF-16. Send it as UTF-8");
  }
  return jsonOf(bytes.toString("utf8"), refuse);
}

/** RFC 8259 §11 knows no parameters of the type. A charset must be UTF-8, however it is written; the others mean nothing. */
function isJson(header = ""): boolean {
  const [type, ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  return (
    type === "application/json" && parameters.every((one) => /^(?!charset)|^charset="?utf-?8"?$/.test(one))
  );
}

/** True for a body in a content coding; `identity` is none (RFC 9110 §8.4). */
export function isCoded({ "content-encoding": coding = "" }: IncomingHttpHeaders): boolean {
  return coding !== "" && coding.trim().toLowerCase() !== "identity";
}

/** Throws `payload_too_large`, `request_timeout`. */
export function readBytes(request: IncomingMessage, { bytes, milliseconds }: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const most = milliseconds === null ? maximumDrainedBytes : bytes;
    const giveUp = (error: StewardError): void => {
      clearTimeout(timer);
      request.removeAllListeners("data");
      request.pause();
      reject(error);
    };
    const timer =
      milliseconds === null
        ? undefined
        : setTimeout(() => giveUp(size > bytes ? tooLarge(bytes) : tooSlow(milliseconds)), milliseconds);
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > most) giveUp(tooLarge(bytes));
    });
    request.once("end", () => {
      if (size > bytes) return giveUp(tooLarge(bytes));
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    const breakOff = (): void => {
      clearTimeout(timer);
      reject(new StewardError("request_timeout", "The connection ended before the body was complete."));
    };
    // Node's "aborted": the client has closed the connection.
    request.once("error", breakOff);
    request.once("close", breakOff);
  });
}

function tooLarge(bytes: number): StewardError {
  return new StewardError(
    "payload_too_large",
    `The body is larger than the ${bytes} bytes that are allowed. Nothing was changed.`,
  );
}

function tooSlow(milliseconds: number): StewardError {
  return new StewardError(
    "request_timeout",
    `The body did not arrive within ${milliseconds / 1_000} seconds, the limit for requests without a valid token. Nothing was changed; send it again.`,
  );
}
