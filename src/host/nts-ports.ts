import type { DatagramAddress } from "./ports.ts";

/** A key to be exported from a TLS session (RFC 5705). */
export interface ExportedKey {
  readonly label: string;
  readonly context: Uint8Array;
  readonly bytes: number;
}

/** The server that is asked for keys, and the time at which its certificates count. */
export interface KeyRequest {
  /** Literal address and port of the server. */
  readonly address: DatagramAddress;
  /** The name that the certificate must have, or a literal address. */
  readonly host: string;
  /** Seconds since 1970 at which the certificates must be valid; null: unknown, so their dates are not judged. */
  readonly atSeconds: number | null;
}

/** One key exchange with a time server over TLS (RFC 8915 §4). */
export interface KeyExchangeQuestion extends KeyRequest {
  readonly request: Uint8Array;
  /** True if no more bytes of the answer are needed. */
  readonly isWhole: (answer: Uint8Array) => boolean;
  /** The keys that the answer returns, in this order. */
  readonly exports: readonly ExportedKey[];
}

/**
 * The reason why a key exchange failed. `cause` of a certificate's failure is OpenSSL's sentence.
 * - `nts_unreachable`: no connection; `cause` is the system's code, such as ECONNREFUSED.
 * - `nts_tls_version`, `nts_closed`: no TLS 1.3 there; the connection ended before the answer did.
 * - `nts_not_offered`: no TLS or no ALPN `ntske/1` there.
 * - `nts_unknown_authority`: no certificate authority that is trusted here has signed the certificate.
 * - `nts_wrong_name`: the certificate is for another name or address.
 * - `nts_certificate_expired`, `nts_certificate_not_yet_valid`: at the time of the question.
 * - `nts_bad_certificate`: purpose, constraints, path length, weak keys.
 * - `nts_cannot_verify`: openssl, the file of the authorities, or the process of key exchanges cannot be used; `cause` says
 *   how to repair it.
 * - `nts_refused`: the server has sent an error, or shares no algorithm with this client.
 * - `nts_no_answer`: not whole within its time.
 */
export type KeyExchangeFailureCode =
  | "nts_unreachable"
  | "nts_tls_version"
  | "nts_closed"
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

/** Never rejects; ends within 5 s. TLS 1.3 with ALPN `ntske/1`. Counts only once the certificates are verified. */
export type AskKeyExchange = (question: KeyExchangeQuestion) => Promise<KeyExchangeAnswer>;

/** The keys and cookies that a server has given, and the place of the NTP server that takes them. */
export interface NtsKeys {
  /** Uint8Array(32), from the client to the server and back. */
  readonly c2s: Uint8Array;
  readonly s2c: Uint8Array;
  /** One to eight, of 12 to 1,024 bytes each. */
  readonly cookies: readonly Uint8Array[];
  /** A host name or literal address. */
  readonly host: string;
  readonly port: number;
}

/** `failure`: a code of KeyExchangeFailureCode, and after a space its cause where it has one. */
export type KeyExchangeOutcome =
  | { readonly kind: "keys"; readonly keys: NtsKeys }
  | { readonly kind: "failed"; readonly failure: string };

/** Key exchanges in a process of their own, so that this one needs no TLS for them. */
export interface KeyExchanges {
  /** Starts the process, which then is ready when the server's name has been looked up. */
  prepare(): void;
  /** Never rejects; ends within 5 s, or within 8 s where the process hangs. */
  exchange(request: KeyRequest): Promise<KeyExchangeOutcome>;
}
