import { networkInterfaces } from "node:os";

/** A kernel may have none, or have it turned off. */
export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

/** Options of a test that takes this address of loopback. */
export function reaching(address: string): { skip: string | false } {
  return { skip: address.includes(":") && !hasIpv6 && "this host has no IPv6: ::1 is on no interface" };
}
