import { isIP } from "node:net";
import { messageOf } from "../../../contract/errors.ts";
import type { TimeAuthorities } from "../../host.ts";
import type { KeyExchangeFailure, KeyExchangeFailureCode } from "../../nts-ports.ts";
import type { RunCommand } from "../../ports.ts";
import { printableLine } from "../../printable-text.ts";
import { checkAuthorities } from "../host-file/authorities.ts";
import { systemAuthorities, verifyByOpenssl } from "./openssl-verify.ts";

/** Certificates of a chain: public ones have two to four. */
const mostCertificates = 8;

/** Bytes of one certificate as PEM: public ones have two kilobytes. */
const mostCertificateBytes = 16_384;

const longestCause = 200;

export interface Verification {
  /** PEM, the server's own first, the others in any order. */
  readonly certificates: readonly string[];
  /** The name or literal address that the first one must be for. */
  readonly host: string;
  /** Seconds since 1970 at which all must be valid; null: their dates are not judged. */
  readonly atSeconds: number | null;
  readonly signal: AbortSignal;
}

export interface ChainVerifier extends TimeAuthorities {
  readonly run: RunCommand;
}

/** The trust in a chain of certificates; null: it is trusted. Rejects only with the reason of the signal. */
export type VerifyChain = (verification: Verification) => Promise<KeyExchangeFailure | null>;

/**
 * Verifies by `openssl verify`, whose path validation (RFC 5280 §6) goes by the time that the caller chooses, and which
 * can leave dates out, so that they hide nothing else (docs/adr/0013-certificates-at-a-chosen-time.md).
 */
export function createVerifyChain(verifier: ChainVerifier): VerifyChain {
  return async (verification) => {
    const { certificates, host, signal } = verification;
    const excess = excessOf(certificates);
    if (excess !== null) return { code: "nts_bad_certificate", cause: excess };
    // OpenSSL takes an empty name as no condition, and a leading dot for every name below it.
    if (!/^[\w:-]/.test(host))
      return { code: "nts_wrong_name", cause: `"${host}" is not a name of a server` };
    const trouble = await troubleWith(verifier);
    if (trouble !== null) return cannotVerify(trouble);
    try {
      const failure = await verifyIn(verifier, verification);
      if (failure === null || !dateCodes.includes(failure.code)) return failure;
      // OpenSSL may end at a date before it has seen all.
      return (await verifyIn(verifier, { ...verification, atSeconds: null })) ?? failure;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return cannotVerify(
        `The certificates cannot be written into ${verifier.directory}: ${messageOf(error)}.`,
      );
    }
  };
}

/** The reason why the file of authorities cannot be used; null: it can. openssl itself judges the system's. */
async function troubleWith({ caFile, own }: ChainVerifier): Promise<string | null> {
  if (caFile === undefined) return null;
  const refuse = (path: string, what: string): Error =>
    new Error(`time.ca_file of the host file names ${path}, which ${what}`);
  // At each use: the host file may name it while another user can write it, or may have been accepted long ago.
  return checkAuthorities(caFile, { own, refuse }).then(() => null, messageOf);
}

const dateCodes: readonly KeyExchangeFailureCode[] = [
  "nts_certificate_expired",
  "nts_certificate_not_yet_valid",
];

function excessOf(certificates: readonly string[]): string | null {
  if (certificates.length === 0) return "the server has sent no certificate";
  if (certificates.length > mostCertificates) return `more than ${mostCertificates} certificates`;
  const isTooLarge = certificates.some((pem) => pem.length > mostCertificateBytes);
  return isTooLarge ? `a certificate of more than ${mostCertificateBytes} bytes` : null;
}

async function verifyIn(verifier: ChainVerifier, verification: Verification) {
  const { run, directory, caFile = systemAuthorities } = verifier;
  const { certificates, signal } = verification;
  const verdict = await verifyByOpenssl(run, {
    ...{ directory, authorities: caFile, certificates, signal },
    conditions: conditionsOf(verification),
  });
  if (verdict === null) return null;
  if ("trouble" in verdict) return cannotVerify(verdict.trouble);
  return { code: codes.get(verdict.number) ?? "nts_bad_certificate", cause: causeOf(verdict.sentence) };
}

function conditionsOf({ host, atSeconds }: Verification): string[] {
  // The zone of a link-local address is this device's own word for the link.
  const [address = ""] = host.split("%");
  return [
    ...(isIP(address) === 0 ? ["-verify_hostname", host] : ["-verify_ip", address]),
    ...(atSeconds === null ? ["-no_check_time"] : ["-attime", String(Math.floor(atSeconds))]),
  ];
}

/**
 * OpenSSL's numbers of verification errors, X509_V_ERR_* of openssl/x509_vfy.h. All others say that a certificate is bad,
 * such as 25 (PATH_LENGTH_EXCEEDED), 26 (INVALID_PURPOSE), 47 (PERMITTED_VIOLATION), 66 (EE_KEY_TOO_SMALL) and
 * 79 (INVALID_CA).
 */
const codes: ReadonlyMap<number, KeyExchangeFailureCode> = new Map([
  [2, "nts_unknown_authority"], // UNABLE_TO_GET_ISSUER_CERT
  [7, "nts_unknown_authority"], // CERT_SIGNATURE_FAILURE: the issuer only has the name of a trusted authority
  [9, "nts_certificate_not_yet_valid"], // CERT_NOT_YET_VALID
  [10, "nts_certificate_expired"], // CERT_HAS_EXPIRED
  [18, "nts_unknown_authority"], // DEPTH_ZERO_SELF_SIGNED_CERT
  [19, "nts_unknown_authority"], // SELF_SIGNED_CERT_IN_CHAIN
  [20, "nts_unknown_authority"], // UNABLE_TO_GET_ISSUER_CERT_LOCALLY
  [21, "nts_unknown_authority"], // UNABLE_TO_VERIFY_LEAF_SIGNATURE
  [27, "nts_unknown_authority"], // CERT_UNTRUSTED
  [62, "nts_wrong_name"], // HOSTNAME_MISMATCH
  [64, "nts_wrong_name"], // IP_ADDRESS_MISMATCH
]);

function cannotVerify(cause: string): KeyExchangeFailure {
  return { code: "nts_cannot_verify", cause: causeOf(cause) };
}

function causeOf(text: string): string {
  return printableLine(text, longestCause);
}
