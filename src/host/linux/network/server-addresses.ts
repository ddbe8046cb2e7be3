import { BlockList, isIP, SocketAddress } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * Addresses of this device itself, of its own link and of its hypervisor: an update server has none of them. Private
 * networks (RFC 1918, RFC 4193) are not listed, because appliances and their mirrors use them.
 */
const localRanges: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  // RFC 1122 §3.2.1.3: this host on this network; Linux takes 0.0.0.0 for loopback.
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  // RFC 3927, with the metadata services of most clouds; then those of Alibaba, Azure, Oracle, and of Amazon over IPv6.
  ["169.254.0.0", 16, "ipv4"],
  ["100.100.100.200", 32, "ipv4"],
  ["168.63.129.16", 32, "ipv4"],
  ["192.0.0.192", 32, "ipv4"],
  ["fd00:ec2::", 32, "ipv6"],
  // Multicast, reserved and broadcast.
  ["224.0.0.0", 3, "ipv4"],
  // Unspecified, loopback, and the IPv4-compatible form of RFC 4291 §2.5.5.1.
  ["::", 96, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

let local: BlockList | undefined;

/** Made when an address is first judged: until then Node does not load its lists of addresses. */
function localList(): BlockList {
  if (local !== undefined) return local;
  local = new BlockList();
  for (const [address, prefixBits, family] of localRanges) local.addSubnet(address, prefixBits, family);
  return local;
}

/**
 * True if an address is loopback, link-local, unspecified, multicast or reserved, or one of `own`, also in the forms
 * that embed an IPv4 address. `address`: a literal one, with or without a zone; anything else counts as local, since it
 * could be resolved to any address.
 */
export function isLocalAddress(address: string, own: ReadonlySet<string> = new Set()): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || own.has(plain)) return true;
  if (isIP(plain) === 4) return localList().check(plain, "ipv4");
  return localList().check(plain, "ipv6") || embeddedIn(plain).some((inner) => isLocalAddress(inner, own));
}

/** The present addresses of this device's interfaces, in the form that `isLocalAddress` compares. */
export function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => plainAddress(address) ?? address));
}

/** The present addresses of this device but those of loopback and of its links; no list of addresses is loaded for them. */
export function addressesBeyondLinks(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/.test(address))
    .map(({ address }) => address);
}

/** True if an `http:` or `https:` address names this host or its own link, judged by the address as it is written. */
export function isLocalServer(server: string): boolean {
  if (!/^https?:/.test(server) || !URL.canParse(server)) return false;
  // URL normalises every form of an address, such as 0x7f.1.
  return isLocalHost(new URL(server).hostname.replace(/^\[|\]$/g, ""));
}

/** The same for a name, or an address without brackets. */
export function isLocalHost(host: string, own?: ReadonlySet<string>): boolean {
  return isIP(host) === 0 ? /(^|\.)localhost\.?$/i.test(host) : isLocalAddress(host, own);
}

/** The canonical spelling of an address: without a zone, IPv4 if it was mapped into IPv6 (RFC 4291 §2.5.5.2). */
function plainAddress(text: string): string | undefined {
  const bare = text.split("%")[0] ?? "";
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? bare : undefined;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  return /^::ffff:([0-9.]+)$/.exec(address)?.[1] ?? address;
}

/** IPv4 addresses that a 6to4 relay (RFC 3056), a NAT64 (RFC 6052, RFC 8215) or an SIIT (RFC 7915) makes of this one. */
function embeddedIn(address: string): string[] {
  const bytes = bytesOf(address);
  const begins = (...front: number[]): boolean => front.every((byte, index) => bytes[index] === byte);
  if (begins(0x20, 0x02)) return [bytes.slice(2, 6).join(".")];
  if (begins(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0)) return [bytes.slice(12).join(".")];
  return begins(0x00, 0x64, 0xff, 0x9b) ? embeddedByNat64(bytes) : [];
}

/** RFC 6052 §2.2: the positions of the four bytes, by the length of the prefix. */
const nat64Places: readonly (readonly [number, number, number, number])[] = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/**
 * The length of the prefix is unknown, so every position counts that leaves zeros after the address. An address that
 * begins with a zero was read at a wrong position, unless all of them do: then it is in 0.0.0.0/8.
 */
function embeddedByNat64(bytes: readonly number[]): string[] {
  const readable = nat64Places.filter(([, , , last]) => bytes.slice(last + 1).every((byte) => byte === 0));
  const found = readable.map((places) => places.map((place) => bytes[place]).join("."));
  const likely = found.filter((address) => !address.startsWith("0."));
  return likely.length > 0 ? likely : found;
}

/** The 16 bytes of an IPv6 address in canonical form, which may end with dotted IPv4. */
function bytesOf(address: string): number[] {
  const dotless = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = "", tail = ""] = dotless.split("::");
  const groupsOf = (text: string): string[] => text.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: 8 - groupsOf(head).length - groupsOf(tail).length }, () => "0");
  const groups = [...groupsOf(head), ...zeros, ...groupsOf(tail)];
  return groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]);
}
