import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import {
  canonicalAddress as canonical,
  clientKeyOf,
  isLoopback,
  loopbackKey,
} from "../accounts/throttle/client-key.ts";
import { isAllowedFrom } from "../accounts/tokens/token-rights.ts";
import type { UserOfConnection } from "../host/ports.ts";

export interface RequestClient {
  /** The address as people see it: IPv4, or IPv6 in its canonical form without a zone. */
  address: string;
  /** The key by which attempts are counted, see `clientKeyOf`. */
  clientKey: string;
  /** On loopback: a key for the local user who connected, if the host knows who it is. */
  keyOfUser?: (() => Promise<string>) | undefined;
}

/** Trusted proxies that a request may have passed; with more of them its client is the peer. */
const maximumHops = 16;

/** Characters of the longest entry: an IPv6 address of 45 characters, its zone, brackets, a port. */
const maximumEntryCharacters = 80;

/**
 * Finds the client of a request: the peer, or, if the peer is a trusted proxy, the right-most address of
 * X-Forwarded-For that is not a trusted proxy. The header is read from the right and no further than needed, so entries
 * that a client wrote itself, to the left of its address, have no effect. If an entry on the way is malformed, or all
 * of them are proxies, the client is the peer. Forwarded, X-Real-IP and X-Forwarded-Host are ignored: only the Host
 * header names the device.
 */
export function createClientOf(
  trustedProxies: readonly string[],
  userOf: UserOfConnection = async () => null,
): (request: IncomingMessage) => RequestClient {
  const isTrusted = createTrust(trustedProxies);
  // A connection has one peer and many requests.
  const peers = new WeakMap<object, RequestClient & { isTrusted: boolean }>();
  return (request) => {
    let peer = peers.get(request.socket);
    if (peer === undefined) {
      const address = canonical(request.socket.remoteAddress ?? "") ?? "";
      const keyOfUser = isLoopback(address) ? onceAsked(request.socket, address, userOf) : undefined;
      peer = {
        ...{ address, clientKey: clientKeyOf(address), isTrusted: isTrusted(address) },
        ...(keyOfUser && { keyOfUser }),
      };
      peers.set(request.socket, peer);
    }
    if (!peer.isTrusted) return peer;
    const client = forwardedFor(request.headers["x-forwarded-for"], isTrusted);
    return client === undefined ? peer : { address: client, clientKey: clientKeyOf(client) };
  };
}

/** The host is asked when the first attempt is judged, once for each connection. */
function onceAsked(socket: Socket, address: string, userOf: UserOfConnection): () => Promise<string> {
  let asked: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const { localAddress = "", localPort = 0, remotePort = 0 } = socket;
    const local = canonical(localAddress) ?? "";
    const user = await userOf({ localAddress: local, localPort, remoteAddress: address, remotePort });
    return user === null ? loopbackKey : `${loopbackKey} user ${user}`;
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}

/** The client's scheme: the connection's, or `http` or `https` from a trusted proxy's X-Forwarded-Proto. */
export function createSchemeOf(
  trustedProxies: readonly string[],
): (request: IncomingMessage) => "http" | "https" {
  const isTrusted = createTrust(trustedProxies);
  return ({ socket, headers }) => {
    const said = headers["x-forwarded-proto"];
    if ((said === "http" || said === "https") && isTrusted(canonical(socket.remoteAddress ?? "") ?? ""))
      return said;
    return "encrypted" in socket ? "https" : "http";
  };
}

/** Addresses and CIDR ranges, as the host file has checked them. */
function createTrust(trustedProxies: readonly string[]): (address: string) => boolean {
  return (address) => trustedProxies.length > 0 && isAllowedFrom({ sources: trustedProxies }, address);
}

/** Undefined if the header gives no address. Node has joined its lines by commas, in their order. */
function forwardedFor(
  header: string | string[] | undefined,
  isTrusted: (address: string) => boolean,
): string | undefined {
  if (typeof header !== "string") return undefined;
  let end = header.length;
  for (let hop = 0; hop < maximumHops && end >= 0; hop += 1) {
    const comma = header.lastIndexOf(",", end - 1);
    const address = addressOf(header.slice(comma + 1, end));
    if (address === undefined || !isTrusted(address)) return address;
    end = comma;
  }
  return undefined;
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`; anything else is undefined. */
function addressOf(entry: string): string | undefined {
  if (entry.length > maximumEntryCharacters) return undefined;
  const [, bracketed, v4, bare] =
    /^[ \t]*(?:\[([^\]]+)\](?::\d{1,5})?|([0-9.]+)(?::\d{1,5})?|([0-9A-Fa-f:.]+(?:%[\w.-]+)?))[ \t]*$/.exec(
      entry,
    ) ?? [];
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? canonical(bracketed) : undefined;
  return canonical(v4 ?? bare ?? "");
}

/** The key of a connection's peer. Peers of a unix socket have no address and share one key. */
export function clientKeyOfPeer(remoteAddress: string | undefined): string {
  return clientKeyOf(canonical(remoteAddress ?? "") ?? "");
}
