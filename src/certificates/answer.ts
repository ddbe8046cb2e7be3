import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { StewardError } from "../contract/errors.ts";

/** The most certificates in an answer: an authority's own bundle has a few. */
const mostCertificates = 16;

/** A chain in its order: the device's certificate, then those between it and the authority. */
export type Chain = readonly [X509Certificate, ...X509Certificate[]];

/** Finds this key's certificate in an authority's answer, and those below its own, unordered. Throws `validation_failed`. */
export function readAnswer(text: string, key: string): Chain {
  const all = certificatesIn(text);
  const privateKey = createPrivateKey(key);
  const own = all.find((one) => one.checkPrivateKey(privateKey));
  if (own === undefined) {
    const subjects = all.map(subjectOf).join("; ");
    throw refused(
      `It is for another key than the request that waits here (it has: ${subjects}). Give the answer to this device's last request, or make a request again: steward tls request.`,
    );
  }
  const path = [own];
  for (let last = own; ; ) {
    const next = all.find((one) => !path.includes(one) && isIssuer(one, last));
    if (next === undefined) break;
    path.push(next);
    last = next;
  }
  return [own, ...path.slice(1).filter((one) => !isIssuer(one, one))];
}

function certificatesIn(text: string): X509Certificate[] {
  if (/-----BEGIN (NEW )?CERTIFICATE REQUEST-----/.test(text))
    throw refused("This is a request, not an answer to one. Give what the CA has made of it.");
  if (/-----BEGIN PKCS7-----/.test(text))
    throw refused("This is PKCS #7. Convert it: openssl pkcs7 -print_certs -in FILE -out CHAIN.");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw refused("It has no certificate as PEM. Convert one in DER: openssl x509 -inform der -in FILE.");
  if (blocks.length > mostCertificates)
    throw refused(
      `It has ${blocks.length} certificates, more than ${mostCertificates}. Give only the device's and those between it and the CA.`,
    );
  try {
    return blocks.map((pem) => new X509Certificate(pem));
  } catch {
    throw refused("One of its certificates is damaged. Fetch it from the CA again.");
  }
}

function isIssuer(issuer: X509Certificate, of: X509Certificate): boolean {
  return of.checkIssued(issuer) && of.verify(issuer.publicKey);
}

/** As openssl writes it, on one line. */
export function subjectOf({ subject }: X509Certificate): string {
  return subject?.split("\n").join(", ") || "no name";
}

export function issuerOf({ issuer }: X509Certificate): string {
  return issuer?.split("\n").join(", ") || "no name";
}

/** The present, as far as the device knows it. */
export interface KnownTime {
  /** A time that has certainly passed. */
  readonly passed: Date;
  /** Null: no time is trusted. */
  readonly now: Date | null;
}

/** Refuses a chain of which a certificate is valid no more, or not yet. Throws `validation_failed`. */
export function judgeDates(chain: Chain, { passed, now }: KnownTime): void {
  for (const one of chain) {
    const [from, until] = [new Date(one.validFrom), new Date(one.validTo)];
    if (until < passed)
      throw refused(
        `${subjectOf(one)} expired at ${until.toISOString()}, and it is ${passed.toISOString()} at least. Have the CA answer the request again.`,
      );
    if (now !== null && now < from)
      throw refused(
        `${subjectOf(one)} is valid from ${from.toISOString()} on, and by the trusted time it is ${now.toISOString()}. Compare the clock of the CA, or wait.`,
      );
  }
}

/**
 * The names and addresses of the device that the certificate is not for. Throws `validation_failed` where it is for none.
 */
export function missingNames(certificate: X509Certificate, wanted: readonly string[]): string[] {
  // Browsers do not look at the subject (RFC 9525 §2).
  const isFor = (name: string): boolean =>
    (isIP(name) === 0 ? certificate.checkHost(name, { subject: "never" }) : certificate.checkIP(name)) !==
    undefined;
  const missing = wanted.filter((name) => !isFor(name));
  if (missing.length < wanted.length) return missing;
  const its = certificate.subjectAltName ?? "no name, only a subject, which browsers ignore";
  throw refused(
    `It is for none of this device's names and addresses (${wanted.join(", ")}); it has ${its}. Have the CA copy the names of the request, or add a name that it has to "names" in the host file.`,
  );
}

function refused(why: string): StewardError {
  return new StewardError("validation_failed", `The answer cannot be used. ${why} Nothing was changed.`);
}
