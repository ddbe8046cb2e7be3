import { BlockList, isIP } from "node:net";

/**
 * What answers at these is this device itself, or whoever shares its wire: a server of updates is elsewhere. Private
 * networks (RFC 1918, RFC 4193) are not among them: appliances live there, and so do their mirrors.
 * BlockList holds IPv4-mapped addresses (::ffff:0:0/96) against the IPv4 ranges by itself.
 */
const localRanges: readonly (readonly [string, number, "ipv4" | "ipv6"])[] = [
  // RFC 1122 §3.2.1.3: this host on this network; Linux takes 0.0.0.0 for loopback.
  ["0.0.0.0", 8, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  // RFC 3927, and the metadata services of clouds.
  ["169.254.0.0", 16, "ipv4"],
  // Multicast, reserved and broadcast.
  ["224.0.0.0", 3, "ipv4"],
  // Unspecified, loopback, and the IPv4-compatible form of RFC 4291 §2.5.5.1.
  ["::", 96, "ipv6"],
  ["fe80::", 10, "ipv6"],
  ["ff00::", 8, "ipv6"],
  // RFC 6052: the same IPv4 ranges behind a NAT64.
  ["64:ff9b::", 104, "ipv6"],
  ["64:ff9b::7f00:0", 104, "ipv6"],
  ["64:ff9b::a9fe:0", 112, "ipv6"],
  ["64:ff9b::e000:0", 99, "ipv6"],
];

const local = new BlockList();
for (const [address, prefixBits, family] of localRanges) local.addSubnet(address, prefixBits, family);

/**
 * Loopback, link-local, unspecified, multicast or reserved. `address`: a literal one, with or without a zone; what is
 * none is taken for local, for nobody knows where it leads.
 */
export function isLocalAddress(address: string): boolean {
  const bare = address.split("%")[0] ?? "";
  const family = isIP(bare);
  if (family === 0) return true;
  return local.check(bare, family === 4 ? "ipv4" : "ipv6");
}

/** Names that lead to this device wherever they are resolved (RFC 6761 §6.3). */
export function isLocalName(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}
