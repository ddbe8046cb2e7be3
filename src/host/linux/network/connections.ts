import { request } from "node:http";
import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket, ConnectionOptions as TlsOptions } from "node:tls";
import type { ResolveHost } from "../../ports.ts";
import type { CertificateAuthorities } from "./certificate-authorities.ts";
import { createReusedBuffer, type ReusedBuffer } from "./reused-buffer.ts";
import { isLocalAddress, isLocalName } from "./server-addresses.ts";
import { refused } from "./transfer-failures.ts";

/** Milliseconds for one of several addresses, before the next is tried as well: node's 250 is less than a satellite's round trip. */
const attemptMilliseconds = 3_000;

/** Bytes of a head. */
export const mostHeaderBytes = 16_384;

export interface ConnectionOptions {
  readonly resolveHost: ResolveHost;
  readonly authorities: CertificateAuthorities;
  /** A proxy of the host file's, `http://host:port`; root says where it is, so it may be on this device. */
  readonly proxy: URL | undefined;
  readonly allowLocalServers: boolean;
  /** Of this device, at the moment of connecting: a lease may have been renewed since the start. */
  readonly ownAddresses: () => ReadonlySet<string>;
}

/** Where requests can be sent and answers come from. */
export interface Connection {
  readonly stream: Duplex;
  /** null: the connection is read by the stream alone. */
  readonly reused: ReusedBuffer | null;
}

/**
 * A connection over which the server's requests can be sent: through TLS that is verified before a byte of a request
 * goes out, through the proxy where there is one. Rejects with the system's or OpenSSL's error; with
 * `update_server_refused` for an address that is not allowed. An abort destroys it at any time.
 */
export async function connect(
  url: URL,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Connection> {
  const { proxy } = options;
  const host = hostOf(url);
  refuseLocalHost(host, options);
  const isSecure = url.protocol === "https:";
  const context = isSecure ? await options.authorities() : undefined;
  const secure = {
    ...{ host, rejectUnauthorized: true, minVersion: "TLSv1.2" as const },
    // RFC 6066 §3: a literal address is no server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(context === undefined ? {} : { secureContext: context }),
  };
  const tcp = tcpOptions(proxy ?? url, options, proxy === undefined && !options.allowLocalServers);
  if (isSecure && proxy !== undefined) {
    const socket = await opened(connectTcp(tcp), "connect", signal);
    await openTunnel(socket, `${url.hostname}:${portOf(url)}`, signal);
    // TLS over a socket that was there before cannot be given a buffer: a transfer takes some 20 MiB more here.
    const stream = await opened(await connectTls({ ...secure, socket }), "secureConnect", signal);
    return { stream, reused: null };
  }
  const reused = createReusedBuffer();
  const socket = isSecure
    ? await opened(await connectTls(withBuffer({ ...tcp, ...secure }, reused)), "secureConnect", signal)
    : await opened(connectTcp({ ...tcp, onread: reused.onread }), "connect", signal);
  return { stream: reused.attach(socket), reused };
}

/** Loaded with the first server that has a certificate: an agent that never asks one does without. */
async function connectTls(options: TlsOptions): Promise<TLSSocket> {
  const { connect } = await import("node:tls");
  return connect(options);
}

/** `onread` stands in the documentation of tls.connect, and not in its types. */
function withBuffer<T extends object>(options: T, { onread }: ReusedBuffer): T & { onread: OnReadOpts } {
  return { ...options, onread };
}

function tcpOptions(via: URL, options: ConnectionOptions, isJudged: boolean) {
  return {
    ...{ host: hostOf(via), port: portOf(via), noDelay: true },
    lookup: addressesFor(options, isJudged),
    ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptMilliseconds },
  };
}

/** Without the brackets of IPv6. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Literal addresses never come to the look-up; behind a proxy nothing does, and the name is all that can be judged. */
function refuseLocalHost(host: string, { allowLocalServers, ownAddresses }: ConnectionOptions): void {
  if (allowLocalServers) return;
  if (isIP(host) === 0 ? isLocalName(host) : isLocalAddress(host, ownAddresses()))
    throw localRefusal(host, host);
}

/** Judged here, at the moment of connecting, so that a name cannot be one address when asked and another when used. */
function addressesFor({ resolveHost, ownAddresses }: ConnectionOptions, isJudged: boolean): LookupFunction {
  return (host, { all }, done) => {
    resolveHost(host).then(
      (found) => {
        const own = isJudged ? ownAddresses() : undefined;
        const allowed = found.filter((address) => own === undefined || !isLocalAddress(address, own));
        const [first] = allowed;
        if (first === undefined) return done(localRefusal(host, found.join(", ")), "");
        if (all !== true) return done(null, first, isIP(first));
        done(
          null,
          allowed.map((address) => ({ address, family: isIP(address.split("%")[0] ?? "") })),
        );
      },
      (error) => done(error, ""),
    );
  };
}

function localRefusal(host: string, address: string): Error {
  return refused(
    `${host} leads to ${address}: a server on this device or on its own wire is not asked for updates ` +
      "unless update.allow_local_servers of the host file says so.",
  );
}

/** Until `event`; an abort destroys the socket then and later. */
function opened(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy();
    signal.addEventListener("abort", onAbort);
    socket.once("close", () => {
      signal.removeEventListener("abort", onAbort);
      reject(signal.aborted ? signal.reason : brokenOff());
    });
    socket.on("error", reject);
    socket.once(event, () => resolve(socket));
    if (signal.aborted) onAbort();
  });
}

/** RFC 9110 §9.3.6. */
function openTunnel(socket: Socket, target: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request({
      ...{ method: "CONNECT", path: target, headers: { host: target }, maxHeaderSize: mostHeaderBytes },
      createConnection: () => socket,
    });
    asking.once("connect", ({ statusCode }, _socket, head) => {
      if (statusCode === 200 && head.length === 0) return resolve();
      socket.destroy();
      reject(refused(`The proxy would not connect to ${target}: it answered ${statusCode}.`));
    });
    asking.once("response", ({ statusCode }) => {
      socket.destroy();
      reject(refused(`The proxy answered ${statusCode} to CONNECT ${target}.`));
    });
    asking.once("error", (error) => reject(signal.aborted ? signal.reason : error));
    asking.end();
  });
}

function brokenOff(): Error {
  return Object.assign(new Error("the connection ended"), { code: "ECONNRESET" });
}
