import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { canonicalAddress, isLoopback } from "../accounts/throttle/client-key.ts";
import { type LanNames, labelOf, usualLanName } from "../host/lan-names.ts";

/** True for an address or one of `names`, which may change. Any other Host gets 421: an attacker's name (DNS rebinding). */
export function createHostCheck(names: () => readonly string[]): (host: string | undefined) => boolean {
  return (host) => {
    const [match, v6, name = ""] = hostForm.exec(host ?? "") ?? [];
    if (match === undefined || v6 !== undefined) return v6 !== undefined && isIP(v6) === 6;
    const asked = name.toLowerCase().replace(/\.$/, "");
    return isIP(name) === 4 || ["localhost", ...names()].some((one) => one.toLowerCase() === asked);
  };
}

/** The names of a host: its own, the short form of it, and those by which the LAN finds it. */
export function namesOfHost(hostname: string, { own }: Pick<LanNames, "own">): string[] {
  return [hostname, labelOf(hostname), ...(own.length > 0 ? own : [usualLanName(hostname)])];
}

/** The origin of the sending page, if it has the Host header's host and port; undefined for programs and others' pages. */
export function pageOriginOf({ origin, host }: IncomingHttpHeaders): string | undefined {
  if (origin === undefined || !URL.canParse(origin)) return undefined;
  const page = new URL(origin);
  return page.host === host?.toLowerCase() ? page.origin : undefined;
}

/** True where a proxy says that it has passed a request on. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => /^(forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name));
}

/** True for a page or a program on this device, or through a tunnel to it; `from`: the client's address. */
export function isFromDevice(headers: IncomingHttpHeaders, from: string): boolean {
  const isNamedSo = /^(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/i.test(headers.host ?? "");
  const isOfOwnPage = headers.origin === undefined || pageOriginOf(headers) !== undefined;
  return isLoopback(from) && isNamedSo && isOfOwnPage && !isForwarded(headers);
}

/** True for the request of a person, where `path` begins at its root: programs ask the API. */
export function isPage({ method = "", headers }: IncomingMessage, path: string): boolean {
  // A browser's page brings no token; a path can be written in more ways than this knows.
  const isRead = (method === "GET" || method === "HEAD") && headers.authorization === undefined;
  return isRead && !/^\/+api(?![^/?#])/i.test(path);
}

/** `[v6]:port` or `name:port`, each with or without a port. */
const hostForm = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/;

/** The literal address in a Host header, in its canonical spelling; undefined for a name. */
export function addressInHost(host: string): string | undefined {
  const [, v6, name = ""] = hostForm.exec(host) ?? [];
  return canonicalAddress(v6 ?? name);
}
