import { BlockList, isIP, SocketAddress } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * What answers at these is this device itself, or what shares its wire or its hypervisor: a server of updates is
 * elsewhere. Private networks (RFC 1918, RFC 4193) are not among them: appliances live there, and so do their mirrors.
 */
const localRanges: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  // RFC 1122 §3.2.1.3: this host on this network; Linux takes 0.0.0.0 for loopback.
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  // RFC 3927, and the metadata services of most clouds; Alibaba's and Amazon's IPv6 one are elsewhere.
  ["169.254.0.0", 16, "ipv4"],
  ["100.100.100.200", 32, "ipv4"],
  ["fd00:ec2::", 32, "ipv6"],
  // Multicast, reserved and broadcast.
  ["224.0.0.0", 3, "ipv4"],
  // Unspecified, loopback, and the IPv4-compatible form of RFC 4291 §2.5.5.1.
  ["::", 96, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
];

const local = new BlockList();
for (const [address, prefixBits, family] of localRanges) local.addSubnet(address, prefixBits, family);

/**
 * Loopback, link-local, unspecified, multicast or reserved, or one of `own`, in any form that holds an IPv4 address too.
 * `address`: a literal one, with or without a zone; anything else is taken for local, since it may lead anywhere.
 */
export function isLocalAddress(address: string, own: ReadonlySet<string> = new Set()): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || own.has(plain)) return true;
  if (isIP(plain) === 4) return local.check(plain, "ipv4");
  return local.check(plain, "ipv6") || embeddedIn(plain).some((inner) => isLocalAddress(inner, own));
}

/** The addresses of this device's interfaces at this moment, as `isLocalAddress` compares them. */
export function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => plainAddress(address) ?? address));
}

/** Names that lead to this device wherever they are resolved (RFC 6761 §6.3). */
export function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}

/** The one spelling of an address: without a zone, IPv4 where it was mapped into IPv6 (RFC 4291 §2.5.5.2). */
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

/** RFC 6052 §2.2: where the four bytes stand, by the length of the prefix. */
const nat64Places: readonly (readonly [number, number, number, number])[] = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/**
 * The prefix's length is the NAT64's own business, so each counts that leaves zeros behind the address. Those that then
 * begin with a zero were read at the wrong place; where all do, it is 0.0.0.0/8 that is meant.
 */
function embeddedByNat64(bytes: readonly number[]): string[] {
  const readable = nat64Places.filter(([, , , last]) => bytes.slice(last + 1).every((byte) => byte === 0));
  const found = readable.map((places) => places.map((place) => bytes[place]).join("."));
  const likely = found.filter((address) => !address.startsWith("0."));
  return likely.length > 0 ? likely : found;
}

/** The 16 bytes of an IPv6 address in its canonical form, in which dotted IPv4 may stand at the end. */
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
