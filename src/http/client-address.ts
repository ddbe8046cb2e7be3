import type { IncomingMessage } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";
import {
  canonicalAddress as canonical,
  clientKeyOf,
  isLoopback,
  loopbackKey,
} from "../auth/throttle/client-key.ts";
import type { UserOfConnection } from "../host/ports.ts";

/** Where a request comes from. */
export interface RequestSource {
  /** The client's address as people are shown it: IPv4, or IPv6 in its canonical form without a zone. */
  address: string;
  /** What attempts are counted by, see `clientKeyOf`. */
  clientKey: string;
  /** On loopback: what the attempts of the one user of this device are counted by, where the host can tell who it is. */
  keyOfUser?: (() => Promise<string>) | undefined;
}

/** Trusted proxies that a request may have come through; behind more of them nobody looks any further. */
const maximumHops = 16;

/** The longest entry there is: an IPv6 address of 45 characters, its zone, brackets, a port. */
const maximumEntryCharacters = 80;

/**
 * Tells where requests come from: the peer, or, when the peer is a trusted proxy, the right-most address of
 * X-Forwarded-For that is not one itself. It is read from the right and no further than needed, so what a client wrote
 * to the left of its own address neither counts nor hides it. Where an entry on the way is malformed, or nothing but
 * proxies is found, it is the peer. Forwarded, X-Real-IP and X-Forwarded-Host are never honoured: the names that this
 * device answers to are judged by the Host header alone.
 */
export function createSourceOf(
  trustedProxies: readonly string[],
  userOf: UserOfConnection = async () => null,
): (request: IncomingMessage) => RequestSource {
  const isTrusted = createTrust(trustedProxies);
  // A connection has one peer and many requests.
  const peers = new WeakMap<object, RequestSource & { isTrusted: boolean }>();
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

/** The host is asked when an attempt is judged, and once a connection. */
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

/**
 * Tells the scheme that the client used: the connection's own, or what a trusted proxy says in X-Forwarded-Proto:
 * `http` or `https` and nothing else.
 */
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
  // One a family: in a single list ::/80 would take in every IPv4 address, as mapped into IPv6.
  const trusted = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of trustedProxies) {
    const [address = "", prefix] = entry.split("/");
    const family = familyOf(address);
    if (prefix === undefined) trusted[family].addAddress(address, family);
    else trusted[family].addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    if (trustedProxies.length === 0 || address === "") return false;
    const family = familyOf(address);
    return trusted[family].check(address, family);
  };
}

/** Undefined where the header does not say. Node has joined its lines by commas, the last line last. */
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

/** The source of a connection, by its peer's address; those of a unix socket, which have none, are one. */
export function sourceOfPeer(remoteAddress: string | undefined): string {
  return clientKeyOf(canonical(remoteAddress ?? "") ?? "");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}
