import { messageOf, systemErrorCode } from "../contract/errors.ts";

/** The reason why no connection was made, or why it ended. */
export interface ConnectionFailure {
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
  EACCES: "this program may not read it",
};

/** Classifies the error of a name resolution, of TCP or of TLS. */
export function connectionFailure(cause: unknown): ConnectionFailure {
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
