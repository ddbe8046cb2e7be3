import { isIP, SocketAddress } from "node:net";

/** The key of connections from the device itself: every local user has all of 127.0.0.0/8. */
export const loopbackKey = "loopback";

/** The canonical spelling of an address, without a zone, mapped IPv4 as IPv4. Undefined for anything else. */
export function canonicalAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version !== 6) return undefined;
  const { address } = new SocketAddress({ address: text, family: "ipv6" });
  return /^::ffff:([0-9.]+)$/.exec(address)?.[1] ?? address;
}

/** The key of a canonical address: IPv4 itself, the /64 of IPv6, where a host moves (RFC 8981), one for all of loopback. */
export function clientKeyOf(address: string): string {
  if (isLoopback(address)) return loopbackKey;
  return address.includes(":") ? `${firstGroups(address, 4)}::/64` : address;
}

/** The /48 of an IPv6 client, one site's allocation (RFC 6177), with ten times the limits of a /64. Null for others. */
export function siteOf(client: string): string | null {
  return client.endsWith("::/64") ? `${client.split(":", 3).join(":")}::/48` : null;
}

/** True for a canonical address in 127.0.0.0/8, and for ::1 (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^127\.[0-9.]+$/.test(address);
}

/** The first groups of an IPv6 address, without the zeros that it may leave out. */
export function firstGroups(address: string, count: number): string {
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  // A dotted tail counts as one group here: a canonical address has it after at least five zeros, and four are needed.
  const back = (tail ?? "").split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => "0");
  return [...front, ...zeros, ...back].slice(0, count).join(":");
}
