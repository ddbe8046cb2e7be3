import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { shortV6 } from "../../short-v6.ts";
import { tried } from "../tried.ts";

/** Addresses in a certificate; more would make each handshake larger. */
const mostAddresses = 32;

/** IFA_F_TEMPORARY, IFA_F_DADFAILED, IFA_F_DEPRECATED, IFA_F_TENTATIVE (linux/if_addr.h). */
const passing = 0x01 | 0x08 | 0x20 | 0x40;

/**
 * The addresses by which others reach this device, of every interface but loopback. fe80::/10 is left out, because it
 * needs the name of a link, which no URL of a browser has; 169.254.0.0/16 is included, because a device without DHCP is
 * reached by it. Of IPv6 those that a host has only to ask others are left out too (RFC 8981).
 */
export function interfaceAddresses(): string[] {
  const short = passingAddresses();
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address) && !short.has(address)),
  );
  const ofFamily = (family: string) =>
    found.filter((one) => one.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily("IPv4"), ...ofFamily("IPv6")])].slice(0, mostAddresses);
}

/** The kernel makes this file from its memory. Its rows have address, interface, prefix, scope and flags, in hexadecimal. */
function passingAddresses(): ReadonlySet<string> {
  // A host without IPv6 does not have it.
  const text = tried(() => readFileSync("/proc/net/if_inet6", "utf8")) ?? "";
  const rows = [...text.matchAll(/^([0-9a-f]{32}) \S+ \S+ \S+ ([0-9a-f]{2}) /gm)];
  const found = rows.filter(([, , flags = ""]) => (Number.parseInt(flags, 16) & passing) !== 0);
  return new Set(found.map(([, address = ""]) => shortV6(address)));
}
