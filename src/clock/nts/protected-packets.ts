import type { SealedRequest } from "../ntp/exchange.ts";
import type { BadPacket } from "../ntp/sample.ts";
import { isCookie, mostCookies } from "./key-exchange-messages.ts";
import { open, seal } from "./siv.ts";

/** Types of extension fields (RFC 8915 §7.5). */
const fieldTypes = { uniqueIdentifier: 0x0104, cookie: 0x0204, placeholder: 0x0304, authenticator: 0x0404 };

/** Bytes of NTP's header, which the extension fields follow. */
const headerBytes = 48;
const uniqueIdentifierBytes = 32;
const nonceBytes = 16;

/** Bytes of a datagram that every path over IPv6 carries whole: 1,280 less the headers of IPv6 and UDP. */
const mostPacketBytes = 1_232;

/** Bytes of a reply: eight cookies of the greatest size are 8 KiB. A packet costs as much time as it is long. */
const mostReplyBytes = 16_384;

export interface Protection {
  /** A cookie of the server's, which no request has carried yet. */
  readonly cookie: Uint8Array;
  /** The keys from client to server and from server to client, Uint8Array(32) each. */
  readonly c2s: Uint8Array;
  readonly s2c: Uint8Array;
  /** The server is asked for so many cookies more than the one that replaces this one; fewer where they would not fit. */
  readonly placeholders: number;
  /** So many bytes from a cryptographic source, new at each call. */
  readonly random: (bytes: number) => Uint8Array;
}

export interface ProtectedRequest extends SealedRequest {
  /** The cookies of the reply that was opened, at most eight; empty until then. */
  cookies(): readonly Uint8Array[];
}

/** Makes a request of 48 bytes one with NTS (RFC 8915 §5.7). Throws at a key that AES-SIV refuses. */
export function protect(request: Uint8Array, protection: Protection): ProtectedRequest {
  const { cookie, c2s, s2c, random } = protection;
  const uniqueIdentifier = random(uniqueIdentifierBytes);
  const nonce = random(nonceBytes);
  const authenticated = Buffer.concat([
    request,
    field(fieldTypes.uniqueIdentifier, uniqueIdentifier),
    field(fieldTypes.cookie, cookie),
    ...placeholdersFor(protection),
  ]);
  const tag = seal(c2s, [authenticated, nonce], new Uint8Array(0));
  const lengths = Uint8Array.of(0, nonce.length, 0, tag.length);
  const authenticator = field(fieldTypes.authenticator, Buffer.concat([lengths, nonce, tag]));
  let cookies: readonly Uint8Array[] = [];
  return {
    packet: Buffer.concat([authenticated, authenticator]),
    open: (reply) => {
      const opened = openReply(reply, { request, uniqueIdentifier, s2c });
      if (typeof opened === "string") return opened;
      cookies = opened.cookies;
      return reply.subarray(0, headerBytes);
    },
    cookies: () => cookies,
  };
}

function placeholdersFor({ cookie, placeholders }: Protection): Uint8Array[] {
  const placeholder = field(fieldTypes.placeholder, new Uint8Array(cookie.length));
  const others = headerBytes + (4 + uniqueIdentifierBytes) + placeholder.length + (8 + nonceBytes + 16);
  const room = Math.floor((mostPacketBytes - others) / placeholder.length);
  return Array.from(
    { length: Math.max(0, Math.min(placeholders, room, mostCookies - 1)) },
    () => placeholder,
  );
}

/** An extension field (RFC 7822 §2) whose content has a multiple of four bytes. */
function field(type: number, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, type);
  view.setUint16(2, bytes.length);
  bytes.set(content, 4);
  return bytes;
}

interface Asked {
  readonly request: Uint8Array;
  readonly uniqueIdentifier: Uint8Array;
  readonly s2c: Uint8Array;
}

/** The cookies of an authentic reply, or the reason to reject it; never throws. */
function openReply(
  reply: Uint8Array,
  { request, uniqueIdentifier, s2c }: Asked,
): { cookies: Uint8Array[] } | BadPacket {
  if (reply.length < headerBytes) return "short";
  if (reply.length > mostReplyBytes) return "long";
  const fields = readFields(reply, headerBytes);
  // An old reply would be authentic as well, but for this.
  const identifier = fields?.find(({ type }) => type === fieldTypes.uniqueIdentifier);
  if (!fields || !identifier || !isSame(identifier.content, uniqueIdentifier)) return "not_authentic";
  if (isNak(reply, request)) return "nts_nak";
  const authenticator = fields.find(({ type }) => type === fieldTypes.authenticator);
  const plaintext = authenticator && decrypt(reply.subarray(0, authenticator.at), authenticator.content, s2c);
  // Cookies that were not encrypted could be anyone's, and would show the next request to be of this client (§5.7, §9.1).
  const encrypted = plaintext && readFields(plaintext, 0);
  if (!encrypted) return "not_authentic";
  const cookies = encrypted
    .filter(({ type, content }) => type === fieldTypes.cookie && isCookie(content.length))
    .map(({ content }) => Uint8Array.from(content));
  return { cookies: cookies.slice(0, mostCookies) };
}

/** The server's word that it cannot use the cookie (§5.7). The keys are in it, so this is unauthentic and ends nothing. */
function isNak(reply: Uint8Array, request: Uint8Array): boolean {
  const [stratum, code, origin] = [reply[1], reply.subarray(12, 16), reply.subarray(24, 32)];
  return stratum === 0 && isSame(code, Buffer.from("NTSN")) && isSame(origin, request.subarray(40, 48));
}

interface ExtensionField {
  readonly type: number;
  /** Bytes before it. */
  readonly at: number;
  readonly content: Uint8Array;
}

/** The fields from an offset on, up to the first authenticator, behind which nothing is protected; null: they are not whole. */
function readFields(bytes: Uint8Array, offset: number): ExtensionField[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields: ExtensionField[] = [];
  for (let at = offset; at < bytes.length; ) {
    if (at + 4 > bytes.length) return null;
    const type = view.getUint16(at);
    const next = at + view.getUint16(at + 2);
    if (next < at + 4 || next % 4 !== 0 || next > bytes.length) return null;
    fields.push({ type, at, content: bytes.subarray(at + 4, next) });
    if (type === fieldTypes.authenticator) break;
    at = next;
  }
  return fields;
}

/** The plaintext in an authenticator (§5.6), whose parts are padded to four bytes; null: it is not authentic. */
function decrypt(authenticated: Uint8Array, content: Uint8Array, s2c: Uint8Array): Uint8Array | null {
  if (content.length < 4) return null;
  const view = new DataView(content.buffer, content.byteOffset);
  const [nonceLength, sealedLength] = [view.getUint16(0), view.getUint16(2)];
  const sealedAt = 4 + Math.ceil(nonceLength / 4) * 4;
  if (sealedAt + sealedLength > content.length) return null;
  const nonce = content.subarray(4, 4 + nonceLength);
  return open(s2c, [authenticated, nonce], content.subarray(sealedAt, sealedAt + sealedLength));
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
