import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { Transfer, TransferRequest } from "../../ports.ts";
import { unreachable } from "../../transfer-failure.ts";
import { paced } from "./transfer-body.ts";
import { refused } from "./transfer-failures.ts";

const onDisk = { allowLocalServers: true };

const pieceBytes = 262_144;

/** Does not block on a fifo, and does not follow a link in the place of the file. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Answers from a directory as a static server would: 200, 206 to `range`, 416 beyond the end, 404 without such a file.
 * Anything but a regular file is refused, also a link.
 */
export async function openFile(url: URL, request: TransferRequest): Promise<Transfer> {
  const file = await openRegular(url);
  const where = url.pathname;
  if (file === null) return { ...absent, where };
  const { handle, stats } = file;
  const etag = `"${stats.ino.toString(16)}-${stats.size.toString(16)}-${Math.floor(stats.mtimeMs).toString(16)}"`;
  const from = firstByte(request.headers.range);
  if (from !== null && from >= stats.size) {
    await handle.close();
    return { ...absent, where, status: 416, headers: { "content-range": `bytes */${stats.size}` } };
  }
  const start = from ?? 0;
  const close = (): void => void handle.close().catch(() => undefined);
  const body = paced(readPieces(handle, start, stats.size), {
    ...{ limits: request.limits, signal: request.signal, where, release: close },
    failure: (cause) => unreachable(where, cause, onDisk, true),
  });
  return {
    where,
    status: from === null ? 200 : 206,
    headers: {
      etag,
      "content-length": String(stats.size - start),
      "content-range": from === null ? undefined : `bytes ${start}-${stats.size - 1}/${stats.size}`,
    },
    body,
    close,
  };
}

const absent: Omit<Transfer, "where"> = {
  status: 404,
  headers: {},
  body: (async function* () {})(),
  close: () => undefined,
};

/** null: there is no file of that name. */
async function openRegular(url: URL): Promise<{ handle: FileHandle; stats: Stats } | null> {
  const path = pathOf(url);
  if (path === null) return null;
  const handle = await open(path, openFlags).catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return null;
    if (code === "ELOOP" || code === "ENXIO") throw refused(`${path} is not a regular file.`);
    throw unreachable(path, error, onDisk);
  });
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return { handle, stats };
    if (!stats.isDirectory()) throw refused(`${path} is not a regular file.`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

/** null: a name with an encoded slash or null byte, which no file has. */
function pathOf(url: URL): string | null {
  if (/%2f|%00/i.test(url.pathname)) return null;
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw refused(`${url.href} is not the address of a file on this device (${String(cause)}).`);
  }
}

/** N of `bytes=N-`, the only form that is used here; any other header is ignored, as RFC 9110 §14.2 allows. */
function firstByte(range: string | undefined): number | null {
  const digits = /^bytes=([0-9]{1,15})-$/.exec(range ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Up to the size in the headers, so that a file that grows meanwhile still ends. */
async function* readPieces(handle: FileHandle, from: number, end: number): AsyncGenerator<Uint8Array> {
  for (let position = from; position < end; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - position));
    const { bytesRead } = await handle.read(piece, 0, piece.length, position);
    if (bytesRead === 0) throw new Error("the file was truncated while it was read");
    position += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
