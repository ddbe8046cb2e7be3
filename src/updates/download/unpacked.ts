import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";

/** Content codings that are gzip (RFC 9110 §8.4.1.3). */
export function isGzip(coding: string | undefined): boolean {
  return /^(x-)?gzip$/i.test(coding?.trim() ?? "");
}

/**
 * Bytes of a compressed answer that are read. What cannot be compressed grows by five bytes a block and by the head and
 * the names in it; without a limit empty members could follow each other for ever.
 */
export function mostPackedBytes(maximumBytes: number): number {
  return Math.ceil(maximumBytes * 1.01) + 1_024;
}

/**
 * The bytes that a server has compressed by gzip. What unpacks to more ends at the limit, whatever it would be in all.
 * Throws `update_too_large`, `update_server_refused` for what is no gzip, or cut off.
 */
export async function unpacked(name: string, packed: Uint8Array, maximumBytes: number): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: maximumBytes });
  } catch (cause) {
    const code = systemErrorCode(cause) ?? "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(name, maximumBytes);
    if (!code.startsWith("Z_")) throw cause;
    throw new StewardError(
      "update_server_refused",
      `The server sent ${JSON.stringify(name)} as gzip that cannot be unpacked (${code}).`,
      { cause },
    );
  }
}

export function tooLarge(name: string, maximumBytes: number): StewardError {
  return new StewardError(
    "update_too_large",
    `${JSON.stringify(name)} is longer than ${maximumBytes} bytes.`,
  );
}
