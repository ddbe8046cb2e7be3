import type { Settings } from "../types.ts";

/** A time server as a person writes it: a text, or an object that also says whether NTS is asked for. */
export type TimeServerEntry = Settings["time"]["servers"][number];

/** A time server of the settings. */
export interface TimeServer {
  /**
   * `host`, `host:port` or `[v6]:port`. The port is the one for NTP, 123 by default; with `nts` the one of the key
   * exchange, 4460 by default (RFC 8915 §6).
   */
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

/** The indices of entries whose host an entry before them has: each would be asked twice, and count twice. */
export function repeatedHosts(entries: readonly TimeServerEntry[]): number[] {
  const hosts = entries.map((entry) => timeServer(entry).host);
  return hosts.flatMap((host, index) => (hosts.indexOf(host) < index ? [index] : []));
}
