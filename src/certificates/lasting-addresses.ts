import { isIP } from "node:net";

/**
 * The addresses that people type, and for which a certificate is made again: those of IPv4. Where none of them is on the LAN,
 * those of IPv6, which a provider may change by the day.
 */
export function lastingAddresses(addresses: readonly string[]): string[] {
  const ofV4 = addresses.filter((address) => isIP(address) === 4);
  return ofV4.some(isOnLan) ? ofV4 : addresses.filter((address) => address !== "::1");
}

/** True for an address that a device keeps for longer than it takes to get one. */
export function isOnLan(address: string): boolean {
  return !/^(127\.|169\.254\.|::1$)/.test(address);
}
