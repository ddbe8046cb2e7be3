import { createHash, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { shortV6 } from "../host/short-v6.ts";

/** The subject and validity of a certificate, and the numbers by which people and programs compare it. */
export type CertificateFacts = ReturnType<typeof factsOf>;

/** The facts of the first certificate in a PEM file. Throws if there is none. */
export function factsOf(pem: string) {
  const certificate = new X509Certificate(pem);
  const alternatives = (certificate.subjectAltName ?? "").split(", ");
  const ofKind = (kind: string) =>
    alternatives.filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length));
  const publicKey = certificate.publicKey.export({ type: "spki", format: "der" });
  return {
    /** As openssl writes it, such as `CN=edge-7`. */
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    names: ofKind("DNS:"),
    // Node writes all zeros of IPv6.
    addresses: ofKind("IP Address:").map((one) => (one.includes(":") ? shortV6(one) : one)),
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
    /** SHA-256 of the certificate, as browsers show it: `AB:CD:…`. */
    fingerprint: certificate.fingerprint256,
    /** SHA-256 of the public key, as `curl --pinnedpubkey` takes it (RFC 7469 §2.4); the same for all its certificates. */
    keyPin: `sha256//${createHash("sha256").update(publicKey).digest("base64")}`,
  };
}

/** Node writes each part of a name on a line of its own. */
function oneLine(name: string | undefined): string {
  return (name ?? "").split("\n").join(", ");
}

/** The addresses that people type: IPv4's. Without one on the LAN IPv6's, which a provider may change by the day. */
export function lastingAddresses(addresses: readonly string[]): string[] {
  const ofV4 = addresses.filter((address) => isIP(address) === 4);
  return ofV4.some(isOnLan) ? ofV4 : addresses.filter((address) => address !== "::1");
}

/** True for an address that a device keeps for longer than it takes to get one. */
export function isOnLan(address: string): boolean {
  return !/^(127\.|169\.254\.|::1$)/.test(address);
}
