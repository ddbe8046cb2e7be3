import type { ExportedKey, KeyExchangeFailure } from "../../host/nts-ports.ts";

/** Cookies of one association: as many requests in a row may be lost before new keys are needed (RFC 8915 §4.1.6, §5.7). */
export const mostCookies = 8;

/** True for a cookie that fills a field (RFC 7822 §2) without padding, in a packet below the least MTU of IPv6. */
export function isCookie(bytes: number): boolean {
  return bytes >= 12 && bytes <= 1_024 && bytes % 4 === 0;
}

/** Types of records, which have 15 bits (RFC 8915 §4.1). */
const recordTypes = {
  endOfMessage: 0,
  nextProtocol: 1,
  error: 2,
  warning: 3,
  algorithm: 4,
  cookie: 5,
  server: 6,
  port: 7,
} as const;
const mostKnownType = 7;

/** The bit above the type: a reader that does not know the record must give up. */
const criticalBit = 0x8000;

/** Codes of error records (§4.1.3). */
const errorNames = ["unrecognised critical record", "bad request", "internal server error"];

/** NTPv4 (RFC 8915 §7.7) and AEAD_AES_SIV_CMAC_256 (RFC 5297 §6), the one algorithm that each server must have. */
const ntpv4 = 0;
const sivCmac256 = 15;

/** Bytes of the longest message that is read: eight cookies of the greatest size are 8 KiB. */
const mostBytes = 16_384;

/** The keys of an association, to be exported from the TLS session: client to server, then server to client (RFC 8915 §5.1). */
export const exportedKeys: readonly ExportedKey[] = [0, 1].map((direction) => ({
  label: "EXPORTER-network-time-security",
  context: Uint8Array.of(0, ntpv4, 0, sivCmac256, direction),
  bytes: 32,
}));

/** A key exchange's end: one to eight cookies, the NTP server (null: the asked host) and port (null: 123); or the failure. */
export type KeyExchange =
  | {
      readonly kind: "agreed";
      readonly cookies: readonly Uint8Array[];
      readonly server: string | null;
      readonly port: number | null;
    }
  | { readonly kind: "refused"; readonly reason: KeyExchangeFailure };

/** The client's message: NTPv4 with AEAD_AES_SIV_CMAC_256. */
export function keyExchangeRequest(): Uint8Array {
  return Uint8Array.from([
    ...[criticalBit >> 8, recordTypes.nextProtocol, 0, 2, 0, ntpv4],
    ...[criticalBit >> 8, recordTypes.algorithm, 0, 2, 0, sivCmac256],
    ...[criticalBit >> 8, recordTypes.endOfMessage, 0, 0],
  ]);
}

/** True where no further bytes are needed: the message has ended, or is too long to be one. */
export function isWholeKeyExchange(bytes: Uint8Array): boolean {
  return bytes.length > mostBytes || readRecords(bytes).end !== null;
}

/** Reads the server's message; never throws. */
export function readKeyExchange(bytes: Uint8Array): KeyExchange {
  if (bytes.length > mostBytes) return refused("nts_not_offered", "the answer is too long");
  const { records, end } = readRecords(bytes);
  if (end !== bytes.length)
    return refused("nts_not_offered", "the answer is not a message of the key exchange");
  const bodies = (type: number): Uint8Array[] =>
    records.filter((record) => record.type === type).map(({ body }) => body);
  // First of all: a server that gives up leaves out what is looked for below.
  const trouble = troubleIn(records) ?? disagreementIn(bodies);
  if (trouble !== null) return refused("nts_refused", trouble);
  const [server = null, ...otherServers] = bodies(recordTypes.server).map(hostIn);
  const [port = null, ...otherPorts] = bodies(recordTypes.port).map(numberIn);
  const isOnePlace = otherServers.length === 0 && otherPorts.length === 0;
  if (!isOnePlace || server === "" || (port !== null && port < 1))
    return refused("nts_not_offered", "the answer names no usable server and port");
  const cookies = bodies(recordTypes.cookie).filter(({ length }) => isCookie(length));
  if (cookies.length === 0) return refused("nts_refused", "the answer has no usable cookie");
  // Copies: a cookie is kept for hours, and the answer that it came in is not.
  const copies = cookies.slice(0, mostCookies).map((cookie) => Uint8Array.from(cookie));
  return { kind: "agreed", cookies: copies, server, port };
}

interface KeyExchangeRecord {
  readonly isCritical: boolean;
  readonly type: number;
  readonly body: Uint8Array;
}

/** The records until the message ends. `end`: bytes up to there, or null where the bytes end before. */
function readRecords(bytes: Uint8Array): { records: KeyExchangeRecord[]; end: number | null } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const records: KeyExchangeRecord[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const first = view.getUint16(at);
    const next = at + 4 + view.getUint16(at + 2);
    if (next > bytes.length) break;
    const type = first & ~criticalBit;
    if (type === recordTypes.endOfMessage) return { records, end: next };
    records.push({ isCritical: first >= criticalBit, type, body: bytes.subarray(at + 4, next) });
    at = next;
  }
  return { records, end: null };
}

/** An error, a warning (none is defined, and an unknown one is an error: §4.1.4) or a critical record that is not known. */
function troubleIn(records: readonly KeyExchangeRecord[]): string | null {
  for (const { isCritical, type, body } of records) {
    const code = numberIn(body);
    if (type === recordTypes.error) return `the server's error is ${code} (${errorNames[code] ?? "unknown"})`;
    if (type === recordTypes.warning) return `the server's warning is ${code}`;
    if (isCritical && type > mostKnownType) return `the server demands the unknown record ${type}`;
  }
  return null;
}

function disagreementIn(bodies: (type: number) => Uint8Array[]): string | null {
  const isOnly = (type: number, expected: number): boolean => {
    const [body, ...others] = bodies(type);
    return body !== undefined && others.length === 0 && numberIn(body) === expected;
  };
  if (!isOnly(recordTypes.nextProtocol, ntpv4)) return "the server does not agree on NTPv4";
  if (!isOnly(recordTypes.algorithm, sivCmac256)) return "the server does not agree on AEAD_AES_SIV_CMAC_256";
  return null;
}

/** The one number of 16 bits in a body; -1: it holds something else. */
function numberIn(body: Uint8Array): number {
  return body.length === 2 ? new DataView(body.buffer, body.byteOffset).getUint16(0) : -1;
}

/** The name or literal address in a body (§4.1.7); empty: neither. */
function hostIn(body: Uint8Array): string {
  const text = body.length <= 255 ? String.fromCharCode(...body) : "";
  return /^\w([\w.-]*\w)?\.?$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/.test(text) ? text : "";
}

function refused(code: KeyExchangeFailure["code"], cause: string): KeyExchange {
  return { kind: "refused", reason: { code, cause } };
}
