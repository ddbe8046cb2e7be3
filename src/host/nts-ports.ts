import type { DatagramAddress } from "./ports.ts";

/** A key to be exported from a TLS session (RFC 5705). */
export interface ExportedKey {
  readonly label: string;
  readonly context: Uint8Array;
  readonly bytes: number;
}

/** One key exchange with a time server (RFC 8915 §4). */
export interface KeyExchangeQuestion {
  /** Literal address and port of the server. */
  readonly address: DatagramAddress;
  /** The name that the certificate must have, or a literal address. */
  readonly host: string;
  readonly request: Uint8Array;
  /** True if no more bytes of the answer are needed. */
  readonly isWhole: (answer: Uint8Array) => boolean;
  /** The keys that the answer returns, in this order. */
  readonly exports: readonly ExportedKey[];
  /**
   * Seconds since 1970 at which the certificates must be valid; null: the time is not known, so their dates are not
   * judged.
   */
  readonly atSeconds: number | null;
}

/**
 * The reason why a key exchange failed. `cause` of a certificate's failure is OpenSSL's sentence.
 * - `nts_unreachable`: no connection; `cause` is the system's code, such as ECONNREFUSED.
 * - `nts_not_offered`: no TLS 1.3 or no ALPN `ntske/1` there, or the connection ended before the answer did.
 * - `nts_unknown_authority`: no certificate authority that is trusted here has signed the certificate.
 * - `nts_wrong_name`: the certificate is for another name or address.
 * - `nts_certificate_expired`, `nts_certificate_not_yet_valid`: at the time of the question.
 * - `nts_bad_certificate`: purpose, constraints, path length, weak keys.
 * - `nts_cannot_verify`: openssl, or the file of the authorities, cannot be used; `cause` says how to repair it.
 * - `nts_refused`: the server has sent an error, or shares no algorithm with this client.
 * - `nts_no_answer`: not whole within its time.
 */
export type KeyExchangeFailureCode =
  | "nts_unreachable"
  | "nts_not_offered"
  | "nts_unknown_authority"
  | "nts_wrong_name"
  | "nts_certificate_expired"
  | "nts_certificate_not_yet_valid"
  | "nts_bad_certificate"
  | "nts_cannot_verify"
  | "nts_refused"
  | "nts_no_answer";

export interface KeyExchangeFailure {
  readonly code: KeyExchangeFailureCode;
  /** Printable; null: the code says all. */
  readonly cause: string | null;
}

export type KeyExchangeAnswer =
  | { readonly kind: "answer"; readonly bytes: Uint8Array; readonly exported: readonly Uint8Array[] }
  | { readonly kind: "failed"; readonly reason: KeyExchangeFailure };

/**
 * Never rejects; ends within 5 s. TLS 1.3 only, with ALPN `ntske/1`. The answer counts only after the certificates
 * were verified.
 */
export type AskKeyExchange = (question: KeyExchangeQuestion) => Promise<KeyExchangeAnswer>;
