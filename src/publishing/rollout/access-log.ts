import { isIPv6 } from "node:net";
import { objectIn } from "../../contract/text/json-of.ts";

/** A request, as a line of an access log has it. Clients wrote most of it: it is read, not believed. */
export interface LogLine {
  /** Seconds since 1970, by the server's clock; null: the line has no time that can be read. */
  readonly seconds: number | null;
  /** The address of the client, as the server wrote it. */
  readonly address: string;
  /** The header `Steward-Report`; null: the request had none, or the log does not keep it. */
  readonly report: string | null;
}

/** Characters: a server's own limit of a request's head is 8 or 16 KiB. */
export const longestLine = 16_384;

/** Characters of an address, or of the name that a server looked up for it. */
const longestAddress = 255;

/**
 * A line in the combined format with the header as one more field in quotation marks at its end (nginx, Apache), or a
 * JSON object (nginx with escape=json, Caddy). null: neither.
 */
export function readLogLine(line: string): LogLine | null {
  if (line.length > longestLine) return null;
  return line.startsWith("{") ? readJson(line) : readCombined(line);
}

/** Fields of the combined format; the report follows them. */
const combinedFields = 9;

/** A bracketed time, a text in quotation marks (servers escape those in it), or a word; without a costly way back. */
const field = /\[[^\]]{0,64}\]|"(?:[^"\\]|\\.)*"|[^\s"[]\S*/g;

function readCombined(line: string): LogLine | null {
  const fields = line.match(field) ?? [];
  const [address = ""] = fields;
  const last = fields.at(-1) ?? "";
  if (fields.length < combinedFields || address.length > longestAddress) return null;
  const seconds = secondsOf(fields.find((one) => one.startsWith("["))?.slice(1, -1));
  if (fields.length === combinedFields || !last.startsWith('"')) return { seconds, address, report: null };
  return { seconds, address, report: given(last.slice(1, -1)) };
}

function readJson(line: string): LogLine | null {
  const value = objectIn(line);
  const request = member(value, "request");
  const addresses = ["remote_addr", "remote_ip", "client_ip"].flatMap((name) => [
    member(value, name),
    member(request, name),
  ]);
  const address = addresses.find((one) => typeof one === "string" && one !== "");
  if (typeof address !== "string" || address.length > longestAddress) return null;
  const header = member(member(request, "headers"), "Steward-Report");
  const report =
    member(value, "steward_report") ??
    member(value, "http_steward_report") ??
    (Array.isArray(header) ? header[0] : header);
  const time = timeMembers.map((name) => member(value, name)).find((one) => one !== undefined);
  return { seconds: secondsOf(time), address, report: typeof report === "string" ? given(report) : null };
}

/** The places where nginx and Caddy write the time of a request. */
const timeMembers = ["ts", "msec", "time_iso8601", "time_local", "time"] as const;

/** `23/Nov/2026:07:20:11 +0000`, as nginx and Apache write it. */
const commonTime = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;

/** Seconds since 1970 below this are a time; above, such a number counts milliseconds: the year 5138. */
const mostSeconds = 1e11;

function secondsOf(time: unknown): number | null {
  if (typeof time === "number" || /^\d{9,13}(\.\d+)?$/.test(String(time))) {
    const count = Number(time);
    return Math.floor(count < mostSeconds ? count : count / 1_000);
  }
  if (typeof time !== "string" || time.length > 64) return null;
  const [, day, month, year, clock, hours, minutes] = commonTime.exec(time) ?? [];
  const text = day === undefined ? time : `${day} ${month} ${year} ${clock} ${hours}${minutes}`;
  const milliseconds = Date.parse(text);
  return Number.isFinite(milliseconds) ? Math.floor(milliseconds / 1_000) : null;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Servers write a hyphen for a header that is not there. */
function given(text: string): string | null {
  return text === "" || text === "-" ? null : text;
}

/** The network that counts as one client: an address of IPv4, or the 64 bits of IPv6 that one subscriber has. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes("%")) return address;
  const whole = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = whole.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => "0"), ...after].slice(0, 4).join(":");
}
