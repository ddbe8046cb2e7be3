import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { systemErrorCode } from "../../../contract/errors.ts";
import type { TransferOptions } from "../../host.ts";
import type { Transfer, TransferRequest, Transfers } from "../../ports.ts";
import { withPlace } from "../../surroundings.ts";
import { TransferFailure, unreachable } from "../../transfer-failure.ts";
import {
  type ConnectionOptions,
  connectionOptions,
  hostOf,
  type LinuxSurroundings,
  routeTo,
} from "./connections.ts";
import { type Answer, type Exchange, exchange } from "./exchange.ts";
import { paced } from "./transfer-body.ts";
import { placeOf, refused } from "./transfer-failures.ts";

export interface LinuxTransferOptions extends TransferOptions, LinuxSurroundings {}

/** Transfers over the network and from directories, each with a connection of its own. */
export function createTransfers(options: LinuxTransferOptions): Transfers {
  const connections = connectionOptions(options);
  return {
    open: async (address, request) => {
      const url = parseAddress(address);
      request.signal.throwIfAborted();
      if (url.protocol === "file:") return openFile(url, request);
      const agent = options.userAgent && { "user-agent": options.userAgent };
      const headers = { ...request.headers, ...agent };
      return openServer(url, { ...request, headers }, options, routeTo(hostOf(url), connections));
    },
  };
}

/** Limits the time until the head, and the rate of the body. */
async function openServer(
  url: URL,
  request: TransferRequest,
  options: LinuxTransferOptions,
  connections: ConnectionOptions,
): Promise<Transfer> {
  const { signal, limits } = request;
  const where = placeOf(url, connections.proxy);
  const ending = new AbortController();
  const under: Exchange = { ending, isSent: false };
  const onAbort = (): void => ending.abort(signal.reason);
  signal.addEventListener("abort", onAbort);
  const late = (): void =>
    ending.abort(
      new TransferFailure("too_slow", `${where} did not answer within ${limits.headSeconds} s.`, under),
    );
  const timer = setTimeout(late, limits.headSeconds * 1_000);
  let answer: Answer | undefined;
  const close = (): void => {
    signal.removeEventListener("abort", onAbort);
    answer?.close();
  };
  try {
    // A look-up cannot be cancelled: its result is ignored.
    const opening = followed(url, request, under, options, connections);
    answer = await Promise.race([opening, aborted(ending.signal)]);
    const { pieces, ...head } = answer;
    const failure = (error: unknown): unknown => unreachable(head.where, error, options, true);
    const paces = { limits, signal: ending.signal, where: head.where, release: close, failure };
    return { ...head, body: paced(pieces, paces), close };
  } catch (error) {
    close();
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Follows redirects (RFC 9110 §15.4) to the origin of the request and to those that the host file names. */
async function followed(
  url: URL,
  request: TransferRequest,
  under: Exchange,
  options: LinuxTransferOptions,
  connections: ConnectionOptions,
): Promise<Answer> {
  const origins = new Set([url.origin, ...(options.redirectOrigins ?? [])]);
  const seen = new Set<string>();
  for (let at = url; ; ) {
    seen.add(at.href);
    const own = at.origin === url.origin ? request.originHeaders : undefined;
    const asked = { ...request, headers: { ...request.headers, ...own } };
    const answer = await exchange(at, asked, under, connections).catch((cause: unknown) => {
      throw unreachable(placeOf(at, connections.proxy), cause, options, under.isSent);
    });
    const { status, headers } = answer;
    if (options.redirects === null || ![301, 302, 303, 307, 308].includes(status)) return answer;
    answer.close();
    at = redirected(at, headers.location);
    if (!origins.has(at.origin)) {
      const member = options.members?.redirect_origins;
      throw refused(
        `${answer.where} redirects to ${at.origin}; allowed are ${[...origins].join(", ")}. That is the sign-in page of a ` +
          `network, or another server${member === undefined ? "" : `: add its origin to ${withPlace(member)}`}.`,
        true,
      );
    }
    if (seen.has(at.href)) throw refused(`${url.host} redirects in a circle.`, true);
    if (seen.size > options.redirects) {
      throw refused(`${url.host} redirects more than ${options.redirects} times.`, true);
    }
  }
}

function redirected(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw refused(`${from.host} redirects without a usable Location header.`, true);
  }
  const to = new URL(location, from);
  to.hash = "";
  if (to.username !== "" || to.password !== "")
    throw refused(`${from.host} redirects to an address with a password.`, true);
  return to;
}

/** An absolute address of a supported scheme, without parts that the parser would silently remove. */
function parseAddress(address: string): URL {
  if (!URL.canParse(address)) throw refused(`${JSON.stringify(address)} is not an address.`);
  const url = new URL(address);
  if (!["https:", "http:", "file:"].includes(url.protocol)) {
    throw refused(`${address} is not an https:, http: or file: address.`);
  }
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(address) || /[\\\t\r\n]/.test(address)) {
    throw refused(
      `${JSON.stringify(address)} is not in its normal form: remove "." and ".." and special characters.`,
    );
  }
  if (url.username !== "" || url.password !== "")
    throw refused(`The address of ${url.host} contains a password.`);
  return url;
}

const onDisk = { allowLocalServers: true };

const pieceBytes = 262_144;

/** Does not block on a fifo, and does not follow a link in the place of the file. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Answers as a static server: 200, 206 to `range`, 416, 404. Anything but a regular file is refused, also a link. */
async function openFile(url: URL, request: TransferRequest): Promise<Transfer> {
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
