import { messageOf, systemErrorCode } from "../contract/errors.ts";
import { type SurroundingName, type Surroundings, withPlace } from "./surroundings.ts";

/** `unreachable`: no connection, or it broke off. `refused`: unacceptable. `too_large`: more than the caller takes. */
type FailureKind = "unreachable" | "refused" | "too_slow" | "too_large";

/** A finer cause. */
type FailureReason = Exclude<ConnectionFailure["kind"], "connection"> | "local_server" | "ca_file" | "proxy";

interface FailureFacts {
  readonly reason?: FailureReason | undefined;
  readonly member?: string | undefined;
  readonly isSent?: boolean;
  readonly cause?: unknown;
}

/** A connection not made or cut off, or an unacceptable answer. The message's sentences fit any caller. */
export class TransferFailure extends Error {
  readonly kind: FailureKind;
  /** null: the kind says all. */
  readonly reason: FailureReason | null;
  /** The member of the host file that root would change, such as `notify.proxy`; null: none is the cause. */
  readonly member: string | null;
  /** The request had been written to the server, wholly or in part, so that the server may have acted on it. */
  readonly isSent: boolean;

  constructor(kind: FailureKind, message: string, facts: FailureFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "TransferFailure";
    this.kind = kind;
    this.reason = facts.reason ?? null;
    this.member = facts.member ?? null;
    this.isSent = facts.isSent ?? false;
  }
}

/** The failure that the error of a name resolution, of TCP or of TLS is. `where`: the server, as a sentence names it. */
export function unreachable(
  where: string,
  cause: unknown,
  surroundings: Surroundings,
  isSent = false,
): TransferFailure {
  if (cause instanceof TransferFailure) return cause;
  const { kind, why } = connectionFailure(cause);
  const reason = kind === "connection" ? undefined : kind;
  // A server that does not accept this device in the handshake has read no request.
  const wasSent = isSent && reason !== "client_certificate";
  const { advice, member } = adviceFor(kind, surroundings);
  return new TransferFailure(
    "unreachable",
    `${where} ${wasSent ? "did not answer in full" : "cannot be used"}: ${why}.${advice}`,
    { cause, reason, member, isSent: wasSent },
  );
}

type Advice = { readonly advice: string; readonly member?: string };

function adviceFor(kind: ConnectionFailure["kind"], surroundings: Surroundings): Advice {
  const named = (name: SurroundingName) => surroundings.members?.[name] ?? `network.${name}`;
  if (kind === "certificate_date") return { advice: " Check this device's clock, then the certificate." };
  if (kind === "certificate") {
    const member = named("ca_file");
    const advice =
      " Check the name of the server: a network's sign-in page, or a proxy that opens TLS, may have answered in its place. " +
      `If it uses an authority of your own, add it with ${withPlace(member)}.`;
    return { advice, member };
  }
  if (kind === "tls_version") return { advice: " Ask who runs it for TLS 1.2 or 1.3." };
  if (kind === "connection") return { advice: "" };
  const member = named("client_certificate_file");
  const advice =
    surroundings.clientCertificateFile === undefined
      ? ` Name a certificate for it with ${withPlace(member)}, or have it let this device in without.`
      : ` Compare the certificate that ${withPlace(member)} names with what the server asks for: its authority and its dates.`;
  return { advice, member };
}

/** The reason why no connection was made, or why it ended. */
interface ConnectionFailure {
  /** `certificate_date`: not valid yet, or expired, which a wrong clock of this device may be the cause of. */
  readonly kind: "certificate_date" | "certificate" | "client_certificate" | "tls_version" | "connection";
  /** The end of a sentence about the server, such as `nothing listens there`. */
  readonly why: string;
}

/** OpenSSL's codes for a certificate that is not valid yet or has expired, possibly by a wrong clock. */
const dateCodes: readonly string[] = [
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
];

const otherCertificateCodes =
  /^(CERT_|UNABLE_TO_(GET|VERIFY)_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;

/** Alerts of a server about the certificate of its client (RFC 8446 §6.2), or that none has come. */
const clientCertificateCodes =
  /ALERT_(CERTIFICATE_\w+|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;

const otherAuthority = "its authority is not one that this device knows";

/** The usual causes; the others have only the code. */
const certificateWords: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: otherAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: otherAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${otherAuthority}, or the server leaves out an intermediate certificate`,
};

const noCommonCipher = "it shares no TLS cipher with this device, or asks it for a certificate";

/** OpenSSL reads the first bytes of another protocol as a record of an impossible version or length. */
const withoutTls = "it does not speak TLS there";

const oldTls = "it speaks no TLS from version 1.2 on";

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name cannot be resolved",
  EAI_AGAIN: "the name servers do not answer",
  ETIMEOUT: "no name server answered in time",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to its network",
  ETIMEDOUT: "it does not answer",
  EPROTO: withoutTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: withoutTls,
  ERR_SSL_WRONG_VERSION_NUMBER: withoutTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "it asks this device for a certificate",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: noCommonCipher,
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": noCommonCipher,
  EACCES: "this program cannot read it",
};

/** Classifies the error of a name resolution, of TCP or of TLS. */
function connectionFailure(cause: unknown): ConnectionFailure {
  const code = firstCode(cause) ?? "";
  if (dateCodes.includes(code))
    return { kind: "certificate_date", why: `its certificate is not valid at this time (${code})` };
  if (otherCertificateCodes.test(code)) {
    const why = certificateWords[code] === undefined ? "" : `: ${certificateWords[code]}`;
    return { kind: "certificate", why: `its certificate cannot be trusted${why} (${code})` };
  }
  if (clientCertificateCodes.test(code))
    return {
      kind: "client_certificate",
      why: words[code] ?? `it does not accept the certificate of this device (${code})`,
    };
  if (words[code] === oldTls) return { kind: "tls_version", why: oldTls };
  // The parser of node:http.
  const usual = code.startsWith("HPE_")
    ? `its answer cannot be read as HTTP (${code})`
    : code || messageOf(cause);
  return { kind: "connection", why: words[code] ?? usual };
}

/** If several addresses were tried, the failure of the first. */
function firstCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && systemErrorCode(error) === undefined) {
    return error.errors.map(systemErrorCode).find((code) => code !== undefined);
  }
  return systemErrorCode(error);
}
