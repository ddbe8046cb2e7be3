/** A certificate, and the key that it is for; both as PEM. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

export interface Subjects {
  /** Host names, the first of which is the subject's. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

export interface CertificateRequest extends Subjects {
  /** PEM. */
  readonly key: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Makes a certificate that is signed with its own key, as PEM. */
export type SignOwn = (request: CertificateRequest) => Promise<string>;

/**
 * A pair of files that an administrator has put in place, under its common name; or the reason why it cannot be read.
 */
export type InstalledPair = { readonly name: string } & (
  | Pair
  | { readonly refused: string /** Nobody knows which pairs there are. */; readonly hidesOthers?: true }
);

export interface SigningRequest extends Subjects {
  /** The path of the key, as PEM. */
  readonly keyFile: string;
}

/** openssl's number of a failure, X509_V_ERR_* (openssl/x509_vfy.h), and sentence; or why it judged nothing. null: valid. */
export type ChainVerdict =
  | { readonly number: number; readonly sentence: string }
  | { readonly trouble: string }
  | null;
