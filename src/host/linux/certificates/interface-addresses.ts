import { networkInterfaces } from "node:os";

/** Addresses in a certificate; more would make each handshake larger. */
const mostAddresses = 32;

/**
 * The addresses by which others reach this device: of every interface but loopback. Without fe80::/10, which takes the name
 * of a link beside it, and no URL of a browser holds one; 169.254.0.0/16 is how a device without DHCP is reached.
 */
export function interfaceAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)),
  );
  const ofFamily = (family: string) =>
    found.filter((one) => one.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily("IPv4"), ...ofFamily("IPv6")])].slice(0, mostAddresses);
}
