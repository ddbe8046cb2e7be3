import {
  connect as connectTcp,
  isIP,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
  type TcpNetConnectOpts,
} from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { ResolveHost, ServerConnections, ServerPlace } from "../../ports.ts";
import { createResolveHost } from "../network/resolve-host.ts";
import { isLocalAddress, isLocalName, ownAddresses } from "../network/server-addresses.ts";
import { type CertificateAuthorities, createCertificateAuthorities } from "./certificate-authorities.ts";
import { ReusedBuffer } from "./reused-buffer.ts";
import { blaming, proxyRefused, refused } from "./transfer-failures.ts";

/** Milliseconds for one of several addresses before the next is tried too: Node's 250 is less than the round trip of a satellite link. */
const attemptMilliseconds = 3_000;

/** Bytes of a head. */
export const mostHeaderBytes = 16_384;

/** The parts by which addresses of servers are judged. */
interface Judging {
  readonly resolveHost: ResolveHost;
  readonly allowLocalServers: boolean;
  /** This device's addresses at the moment of connecting: a DHCP lease may have changed since the start. */
  readonly ownAddresses: () => ReadonlySet<string>;
}

export interface ConnectionOptions extends Judging {
  readonly authorities: CertificateAuthorities;
  /** The proxy of the host file, `http://host:port`. Root chose it, so it may be on this device. */
  readonly proxy: URL | undefined;
}

export interface ServerConnectionOptions
  extends Pick<Judging, "allowLocalServers">,
    Partial<Omit<Judging, "allowLocalServers">> {
  /** PEM; these authorities are trusted beside those of the runtime. */
  readonly caFile?: string | undefined;
}

/** A connection that can send requests and receive answers. */
export interface Connection {
  readonly stream: Duplex;
  readonly reused: ReusedBuffer;
}

/**
 * Opens a connection to the server, through the proxy if there is one. TLS is verified before any byte of a request is
 * sent. Rejects with the system's or OpenSSL's error, or with `update_server_refused` for an address that is not allowed.
 * An abort destroys the connection at any time. `onExcess` is called when more comes than `reused` allows.
 */
export async function connect(
  url: URL,
  options: ConnectionOptions,
  signal: AbortSignal,
  onExcess: () => void,
): Promise<Connection> {
  const { proxy } = options;
  const host = hostOf(url);
  refuseLocalHost(host, options);
  const tcp = tcpOptions(serverOf(proxy ?? url), options, proxy === undefined && !options.allowLocalServers);
  const reused = new ReusedBuffer(onExcess);
  if (url.protocol === "http:") {
    const opening = opened(connectTcp({ ...tcp, onread: reused.onread }), "connect", signal);
    return { stream: reused.attach(await blaming(proxy, opening)), reused };
  }
  const context = await options.authorities();
  const secure = {
    ...{ host, rejectUnauthorized: true, minVersion: "TLSv1.2" as const },
    // RFC 6066 §3: a literal address is not sent as a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(context === undefined ? {} : { secureContext: context }),
  };
  // TLS over an existing socket cannot be given a buffer, so a transfer takes about 20 MiB more behind a proxy.
  const socket =
    proxy === undefined
      ? connectTls(withBuffer({ ...tcp, ...secure }, reused))
      : connectTls({ ...secure, socket: await tunnel(proxy, tcp, url, signal) });
  return { stream: reused.attach(await opened(socket, "secureConnect", signal)), reused };
}

/** Connections to servers whose addresses are judged as in `connect`: as written, and after a name is resolved. */
export function createServerConnections(options: ServerConnectionOptions): ServerConnections {
  const judging: Judging = {
    allowLocalServers: options.allowLocalServers,
    resolveHost: options.resolveHost ?? createResolveHost(),
    ownAddresses: options.ownAddresses ?? ownAddresses,
  };
  return {
    open: async (server, signal) => {
      refuseLocalHost(server.host, judging);
      const tcp = tcpOptions(server, judging, !judging.allowLocalServers);
      return await opened(connectTcp(tcp), "connect", signal);
    },
    authorities: createCertificateAuthorities(options.caFile),
  };
}

/** `onread` is documented for tls.connect, but missing in its types. */
function withBuffer<T extends object>(options: T, { onread }: ReusedBuffer): T & { onread: OnReadOpts } {
  return { ...options, onread };
}

function tcpOptions({ host, port }: ServerPlace, options: Judging, isJudged: boolean) {
  return {
    ...{ host, port, noDelay: true },
    lookup: addressesFor(options, isJudged),
    ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptMilliseconds },
  };
}

function serverOf(url: URL): ServerPlace {
  return { host: hostOf(url), port: portOf(url) };
}

/** Without the brackets of IPv6. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Literal addresses are never looked up, and behind a proxy no name is, so the host is checked here as it is written. */
function refuseLocalHost(host: string, { allowLocalServers, ownAddresses }: Judging): void {
  if (allowLocalServers) return;
  if (isIP(host) === 0 ? isLocalName(host) : isLocalAddress(host, ownAddresses()))
    throw localRefusal(host, host);
}

/** Checked at the moment of connecting, so that a name cannot resolve to one address for the check and another for use. */
function addressesFor({ resolveHost, ownAddresses }: Judging, isJudged: boolean): LookupFunction {
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
    `${host} resolves to ${address}. Servers on this device or on its own link are not used for updates ` +
      "unless update.allow_local_servers in the host file allows it.",
    "local_server",
  );
}

/** Waits for `event`. An abort destroys the socket, now and later. */
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

/** A connection through the proxy (RFC 9110 §9.3.6). Only the head of its answer is read, so that it can send nothing else. */
async function tunnel(proxy: URL, tcp: TcpNetConnectOpts, url: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${portOf(url)}`;
  const socket = await blaming(proxy, opened(connectTcp(tcp), "connect", signal));
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const reading = new Promise<string>((resolve, reject) => {
    let text = "";
    const onData = (piece: Buffer): void => {
      text += piece.toString("latin1", 0, mostHeaderBytes);
      if (!text.includes("\r\n\r\n") && text.length < mostHeaderBytes) return;
      socket.off("data", onData).pause();
      resolve(text);
    };
    socket.on("data", onData);
    socket.once("close", () => reject(signal.aborted ? signal.reason : brokenOff()));
  });
  const head = await blaming(proxy, reading);
  const status = Number(/^HTTP\/1\.[01] ([0-9]{3})[ \r]/.exec(head)?.[1]);
  if (status >= 200 && status < 300 && head.endsWith("\r\n\r\n")) return socket;
  socket.destroy();
  throw proxyRefused(proxy, target, status);
}

export function brokenOff(): Error {
  return Object.assign(new Error("the connection ended"), { code: "ECONNRESET" });
}
