import { isLocalAddress, isLocalName } from "./server-addresses.ts";

/** True if an `http:` or `https:` address names this host or its own link, judged by the address as it is written. */
export function isLocalServer(server: string): boolean {
  if (!/^https?:/.test(server) || !URL.canParse(server)) return false;
  // URL normalises every form of an address, such as 0x7f.1.
  const host = new URL(server).hostname;
  if (isLocalName(host)) return true;
  const address = /^\[(.*)\]$/.exec(host)?.[1] ?? (/^[\d.]+$/.test(host) ? host : undefined);
  return address !== undefined && isLocalAddress(address);
}
