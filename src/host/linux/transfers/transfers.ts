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
import { openFile } from "./transfer-files.ts";

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
