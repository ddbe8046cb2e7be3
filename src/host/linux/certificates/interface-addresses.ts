import { networkInterfaces } from "node:os";

/** Addresses in a certificate; more would make each handshake larger. */
const mostAddresses = 32;

/**
 * The addresses by which others reach this device, of every interface but loopback. fe80::/10 is left out, because it
 * needs the name of a link, which no URL of a browser has; 169.254.0.0/16 is included, because a device without DHCP is
 * reached by it.
 */
export function interfaceAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)),
  );
  const ofFamily = (family: string) =>
    found.filter((one) => one.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily("IPv4"), ...ofFamily("IPv6")])].slice(0, mostAddresses);
}
