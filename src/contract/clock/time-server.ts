import type { Settings } from "../types.ts";

/** A time server as a person writes it: a text, or an object that also says whether NTS is asked for. */
export type TimeServerEntry = Settings["time"]["servers"][number];

export interface TimeServer {
  /** `host`, `host:port` or `[v6]:port`: NTP's port, by default 123; with `nts` the key exchange's, 4460 (RFC 8915 §6). */
  readonly host: string;
  /** Its packets are to be authenticated by Network Time Security (RFC 8915). */
  readonly nts: boolean;
}

/** The one reading of an item of `time.servers`: a text is a server without NTS. */
export function timeServer(entry: TimeServerEntry): TimeServer {
  return typeof entry === "string" ? { host: entry, nts: false } : entry;
}

/** The entry with another host, in the form in which it was written. */
export function withHost(entry: TimeServerEntry, host: string): TimeServerEntry {
  return typeof entry === "string" ? host : { ...entry, host };
}

/** The entry with or without NTS, as a person would write it. Its port stays, although it becomes another protocol's. */
export function withNts(entry: TimeServerEntry, nts: boolean): TimeServerEntry {
  const { host } = timeServer(entry);
  return nts ? { host, nts } : host;
}

/** The entry as a person reads it in a line: `time.example.net (NTS)`. */
export function timeServerText(entry: TimeServerEntry): string {
  const { host, nts } = timeServer(entry);
  return nts ? `${host} (NTS)` : host;
}

/** The name or literal address in a server's text, and its port; null: it names none. */
export function serverParts(text: string): { readonly host: string; readonly port: number | null } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  // RFC 6874 §2: in addresses of the web the % before a zone is written %25.
  const host = (bracketed ?? plain ?? text).replace(/%25(?=.)/, "%");
  return { host, port: port === undefined ? null : Number(port) };
}

/** The entries that can never be asked, or whose host an entry before them has: it would count twice. */
export function timeServerErrors(
  entries: readonly TimeServerEntry[],
  list: string,
): { pointer: string; code: string; detail: string }[] {
  const hosts = entries.map((entry) => timeServer(entry).host);
  return hosts.flatMap((host, index) => {
    const pointer = `${list}/${index}`;
    if (hosts.indexOf(host) < index)
      return [{ pointer, code: "uniqueItems", detail: "is listed before: a server may be listed once" }];
    const detail = serverFault(host);
    return detail === null ? [] : [{ pointer, code: "out_of_range", detail }];
  });
}

/** The reason why no server can be at such an address; null: one can. The text has the form that the schema asks for. */
export function serverFault(text: string): string | null {
  const { host, port } = serverParts(text);
  if (port !== null && (port < 1 || port > 65_535)) return "has a port outside 1 to 65535";
  const [address = "", zone] = host.split("%");
  const url = `http://${text.startsWith("[") ? `[${address}]` : address}`;
  // A name whose last part is a number is read as an IPv4 address, here as by the C library.
  if (!URL.canParse(url)) return "is not an IP address, and not a name either";
  const { hostname } = new URL(url);
  const isLinkLocal = /^\[fe[89ab]/.test(hostname);
  if (isLinkLocal && zone === undefined) return `needs the interface that leads there: [${address}%eth0]`;
  const impossible = /^((0|22[4-9]|23\d)(\.\d+){3}|255\.255\.255\.255|\[::\]|\[ff.*)$/;
  return impossible.test(hostname) ? "is an address that no single server can have" : null;
}
