import { createPrivateKey, X509Certificate } from "node:crypto";
import { tried } from "../tried.ts";
import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

/** Bytes of a bundle: twenty times that of all public authorities. */
export const mostBundleBytes = 4 * 1024 * 1024;

/** Refuses a PEM file that has no certificates, or that an untrusted user could have written. Throws what `refuse` makes. */
export async function checkAuthorities(path: string, trust: TrustCheck): Promise<void> {
  await checkPem(path, trust, certificatesIn, false);
}

/** The same for a certificate with its chain and its key, which not every user may read. */
export async function checkClientCertificate(path: string, trust: TrustCheck): Promise<void> {
  await checkPem(path, trust, clientCertificateIn, true);
}

async function checkPem(
  path: string,
  { refuse, ...owners }: TrustCheck,
  judge: (text: string) => unknown,
  isSecret: boolean,
): Promise<void> {
  const bytes = await readTrustedFile(path, { ...owners, maximumBytes: mostBundleBytes, isSecret }, refuse);
  if (bytes === null) throw refuse(path, "does not exist");
  try {
    judge(Buffer.from(bytes).toString("latin1"));
  } catch (error) {
    throw refuse(path, (error as Error).message);
  }
}

/** The certificates of a PEM text; OpenSSL ignores unreadable ones in silence. Throws a message to go after the path. */
export function certificatesIn(text: string): string[] {
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun === 0) throw new Error("does not hold a certificate in PEM");
  if (begun !== certificates.length) throw new Error("is truncated: a certificate in it has no end");
  const bad = certificates.findIndex((pem) => tried(() => new X509Certificate(pem)) === null);
  if (bad >= 0) throw new Error(`cannot be read: its certificate ${bad + 1} is not valid`);
  return certificates;
}

/** The text for both `cert` and `key` of node:tls. Throws as `certificatesIn` does. */
export function clientCertificateIn(text: string): string {
  const [own = ""] = certificatesIn(text);
  const key = tried(() => createPrivateKey(text));
  if (key === null) throw new Error("does not hold a key in PEM that can be read without a password");
  if (!new X509Certificate(own).checkPrivateKey(key))
    throw new Error("holds a key that is not that of its first certificate");
  return text;
}
