import { connect as connectTcp, isIP, type LookupFunction, type OnReadOpts, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type SecureContext } from "node:tls";
import type { ResolveHost, ServerConnections, ServerPlace } from "../../ports.ts";
import { type Surroundings, withPlace } from "../../surroundings.ts";
import { TransferFailure } from "../../transfer-failure.ts";
import { createResolveHost } from "../network/resolve-host.ts";
import { isLocalAddress, isLocalHost, ownAddresses as ownAddressesNow } from "../network/server-addresses.ts";
import { type CertificateAuthorities, createCertificateAuthorities } from "./certificate-authorities.ts";
import { ReusedBuffer } from "./reused-buffer.ts";
import { blaming, proxyRefused, serverFailure, unusableProxy } from "./transfer-failures.ts";

/** Milliseconds for one of several addresses before the next is tried too: Node's 250 is less than the round trip of a satellite link. */
const attemptMilliseconds = 3_000;

export const mostHeaderBytes = 16_384;

export interface ConnectionOptions {
  readonly surroundings: Surroundings;
  readonly authorities: CertificateAuthorities;
  /** Root chose it, so it may be on this device. */
  readonly proxy: URL | undefined;
  readonly resolveHost: ResolveHost;
  /** This device's addresses at the moment of connecting: a DHCP lease may have changed since the start. */
  readonly ownAddresses: () => ReadonlySet<string>;
}

export interface LinuxSurroundings
  extends Surroundings,
    Partial<Pick<ConnectionOptions, "resolveHost" | "ownAddresses">> {}

/** Throws TransferFailure for a proxy that cannot be used. */
export function connectionOptions({
  resolveHost = createResolveHost(),
  ownAddresses = ownAddressesNow,
  ...surroundings
}: LinuxSurroundings): ConnectionOptions {
  const authorities = createCertificateAuthorities(surroundings);
  return { surroundings, authorities, proxy: proxyOf(surroundings), resolveHost, ownAddresses };
}

/** A connection that can send requests and receive answers. */
export interface Connection {
  readonly stream: Duplex;
  readonly reused: ReusedBuffer;
}

/**
 * Opens a connection to the server, through the proxy if there is one. TLS is verified before any byte of a request is
 * sent. Rejects with the system's or OpenSSL's error, or with TransferFailure for an address that is not allowed, a file that
 * cannot be used, and for the proxy. An abort destroys the connection at any time. `onExcess` is called when more comes than
 * `reused` allows.
 */
export async function connect(
  url: URL,
  options: ConnectionOptions,
  signal: AbortSignal,
  onExcess: () => void,
): Promise<Connection> {
  const { proxy, surroundings } = options;
  const server = serverOf(url);
  const reused = new ReusedBuffer(onExcess);
  refuseLocalHost(server.host, options);
  if (url.protocol === "http:") {
    const tcp = tcpOptions(serverOf(proxy ?? url), options);
    const opening = opened(connectTcp({ ...tcp, onread: reused.onread }), "connect", signal);
    return { stream: reused.attach(await blaming(proxy, surroundings, opening)), reused };
  }
  const secure = secureOptions(server.host, await options.authorities());
  // TLS over an existing socket cannot be given a buffer, so a transfer takes about 20 MiB more behind a proxy.
  const socket =
    proxy === undefined
      ? connectTls(withBuffer({ ...tcpOptions(server, options), ...secure }, reused))
      : connectTls({ ...secure, socket: await tunnel(proxy, server, options, signal) });
  return { stream: reused.attach(await opened(socket, "secureConnect", signal)), reused };
}

/** Connections to servers whose addresses are judged as in `connect`: as written, and after a name is resolved. */
export function createServerConnections(surroundings: LinuxSurroundings): ServerConnections {
  const options = connectionOptions(surroundings);
  const { authorities } = options;
  const opening = async <T>(
    server: ServerPlace,
    signal: AbortSignal,
    begin: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await begin();
    } catch (cause) {
      throw signal.aborted ? signal.reason : serverFailure(surroundings, server, cause);
    }
  };
  const reach = async (server: ServerPlace, signal: AbortSignal): Promise<Socket> => {
    refuseLocalHost(server.host, options);
    const route = routeTo(server.host, options);
    if (route.proxy !== undefined) return tunnel(route.proxy, server, route, signal);
    return opened(connectTcp(tcpOptions(server, route)), "connect", signal);
  };
  return {
    open: (server, signal) => opening(server, signal, () => reach(server, signal)),
    secure: (server, signal) =>
      opening(server, signal, async () => {
        const secure = secureOptions(server.host, await authorities());
        return opened(
          connectTls({ ...secure, socket: await reach(server, signal) }),
          "secureConnect",
          signal,
        );
      }),
    authorities,
    failure: (server, cause, isSent) => serverFailure(surroundings, server, cause, isSent),
  };
}

/** `onread` is documented for tls.connect, but missing in its types. */
function withBuffer<T extends object>(options: T, { onread }: ReusedBuffer): T & { onread: OnReadOpts } {
  return { ...options, onread };
}

/** Without a proxy, the addresses are those of the server, and are judged. */
function tcpOptions({ host, port }: ServerPlace, options: ConnectionOptions) {
  return {
    ...{ host, port, noDelay: true },
    lookup: addressesFor(options),
    ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptMilliseconds },
  };
}

function secureOptions(host: string, secureContext: SecureContext | undefined) {
  return {
    ...{ host, rejectUnauthorized: true, minVersion: "TLSv1.2" as const },
    // RFC 6066 §3: a literal address is not sent as a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(secureContext === undefined ? {} : { secureContext }),
  };
}

function serverOf(url: URL): ServerPlace {
  return { host: hostOf(url), port: Number(url.port || (url.protocol === "https:" ? 443 : 80)) };
}

/** Without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Literal addresses are never looked up, and behind a proxy no name is, so the host is checked here as it is written. */
function refuseLocalHost(host: string, options: ConnectionOptions): void {
  if (!options.surroundings.allowLocalServers && isLocalHost(host, options.ownAddresses()))
    throw localRefusal(host, host, options.surroundings);
}

/** No proxy reaches this device itself, or its own link. */
export function routeTo(host: string, options: ConnectionOptions): ConnectionOptions {
  return isLocalHost(host) ? { ...options, proxy: undefined } : options;
}

/** Checked at the moment of connecting, so that a name cannot resolve to one address for the check and another for use. */
function addressesFor({ resolveHost, ownAddresses, surroundings, proxy }: ConnectionOptions): LookupFunction {
  const isJudged = proxy === undefined && !surroundings.allowLocalServers;
  return (host, { all }, done) => {
    resolveHost(host).then(
      (found) => {
        const own = isJudged ? ownAddresses() : undefined;
        const allowed = found.filter((address) => own === undefined || !isLocalAddress(address, own));
        const [first] = allowed;
        if (first === undefined) return done(localRefusal(host, found.join(", "), surroundings), "");
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

function localRefusal(host: string, address: string, { members }: Surroundings): TransferFailure {
  const member = members?.allow_local_servers;
  const leads = host === address ? "" : ` leads to ${address}, which`;
  const unless = member === undefined ? "" : ` unless ${withPlace(member)} allows it`;
  const message = `${host}${leads} is this device or is on its own link: it is not used${unless}.`;
  return new TransferFailure("refused", message, { reason: "local_server", member });
}

/** Waits for `event`. An abort destroys the socket, now and later. */
function opened<Opened extends Socket>(
  socket: Opened,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
): Promise<Opened> {
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

/** A connection through the proxy (RFC 9110 §9.3.6). Only the answer's head is read: the server may speak first. */
async function tunnel(
  proxy: URL,
  { host, port }: ServerPlace,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const { surroundings } = options;
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const tcp = connectTcp(tcpOptions(serverOf(proxy), options));
  const socket = await blaming(proxy, surroundings, opened(tcp, "connect", signal));
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const reading = new Promise<string>((resolve, reject) => {
    let text = "";
    const onData = (piece: Buffer): void => {
      text += piece.toString("latin1");
      if (!text.includes("\r\n\r\n") && text.length < mostHeaderBytes) return;
      socket.off("data", onData).pause();
      resolve(text);
    };
    socket.on("data", onData);
    socket.once("close", () => reject(signal.aborted ? signal.reason : brokenOff()));
  });
  const answer = await blaming(proxy, surroundings, reading);
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const status = Number(/^HTTP\/1\.[01] ([0-9]{3})(?: |\r|$)/.exec(head)?.[1]);
  if (status >= 200 && status < 300 && rest.length > 0 && !/^\s*</.test(rest.join(""))) {
    socket.unshift(Buffer.from(rest.join("\r\n\r\n"), "latin1"));
    return socket;
  }
  socket.destroy();
  throw proxyRefused(proxy, surroundings, target, status);
}

/** Without a password, which every user of the device could read in the host file. */
function proxyOf({ proxy, ...surroundings }: Surroundings): URL | undefined {
  if (proxy === undefined) return undefined;
  const url = URL.canParse(proxy) ? new URL(proxy) : null;
  if (url?.protocol === "http:" && url.pathname === "/" && url.username === "") return url;
  throw unusableProxy(surroundings);
}

export function brokenOff(): Error {
  return Object.assign(new Error("the connection ended"), { code: "ECONNRESET" });
}
