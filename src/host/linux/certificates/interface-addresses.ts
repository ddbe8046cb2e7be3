import { networkInterfaces } from "node:os";

/** Addresses in a certificate; more would make each handshake larger. */
const mostAddresses = 32;

/** The addresses by which others reach this device: of every interface but loopback, without those of a single link. */
export function interfaceAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address)),
  );
  const ofFamily = (family: string) =>
    found.filter((one) => one.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily("IPv4"), ...ofFamily("IPv6")])].slice(0, mostAddresses);
}
