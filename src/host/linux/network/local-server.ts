import { isLocalAddress, isLocalName } from "./server-addresses.ts";

/** Whether an `http:` or `https:` address names this host, or the wire that it hangs on, as it is written. */
export function isLocalServer(server: string): boolean {
  if (!/^https?:/.test(server) || !URL.canParse(server)) return false;
  // URL writes every form of an address, such as 0x7f.1, in the usual one.
  const host = new URL(server).hostname;
  if (isLocalName(host)) return true;
  const address = /^\[(.*)\]$/.exec(host)?.[1] ?? (/^[\d.]+$/.test(host) ? host : undefined);
  return address !== undefined && isLocalAddress(address);
}
