import { isIPv6 } from "node:net";

/** What a line of an access log says of a request. Clients wrote most of it: it is read, not believed. */
export interface LogLine {
  /** Of the client, as the server wrote it. */
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
  if (fields.length === combinedFields || !last.startsWith('"')) return { address, report: null };
  return { address, report: given(last.slice(1, -1)) };
}

function readJson(line: string): LogLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
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
  return { address, report: typeof report === "string" ? given(report) : null };
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
