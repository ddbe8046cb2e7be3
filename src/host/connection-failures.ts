import { messageOf, systemErrorCode } from "../contract/errors.ts";

/** The reason why no connection was made, or why it ended. */
export interface ConnectionFailure {
  /** `certificate_date`: not valid yet, or expired, which a wrong clock of this device may be the cause of. */
  readonly kind: "certificate_date" | "certificate" | "connection";
  /** The system's or OpenSSL's code; empty without one. */
  readonly code: string;
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

/** OpenSSL reads the first bytes of another protocol as a record of an impossible version or length. */
const withoutTls = "it does not speak TLS there";

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
};

/** Classifies the error of a name resolution, of TCP or of TLS. */
export function connectionFailure(cause: unknown): ConnectionFailure {
  const code = firstCode(cause) ?? "";
  if (dateCodes.includes(code))
    return { kind: "certificate_date", code, why: `its certificate is not valid at this time (${code})` };
  if (otherCertificateCodes.test(code))
    return { kind: "certificate", code, why: `its certificate cannot be trusted (${code})` };
  return { kind: "connection", code, why: words[code] ?? (code === "" ? messageOf(cause) : code) };
}

/** If several addresses were tried, the failure of the first. */
function firstCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && systemErrorCode(error) === undefined) {
    return error.errors.map(systemErrorCode).find((code) => code !== undefined);
  }
  return systemErrorCode(error);
}
