import { X509Certificate } from "node:crypto";
import { tried } from "../tried.ts";
import { readTrustedFile, type TrustCheck } from "./trusted-file.ts";

/** Twenty times the size of a bundle of all public authorities. */
const maximumBytes = 4 * 1024 * 1024;

/** Refuses a PEM file that has no certificates, or that an untrusted user could have written. Throws what `refuse` makes. */
export async function checkAuthorities(path: string, { refuse, ...owners }: TrustCheck): Promise<void> {
  const bytes = await readTrustedFile(path, { ...owners, maximumBytes }, refuse);
  if (bytes === null) throw refuse(path, "does not exist");
  const text = Buffer.from(bytes).toString("latin1");
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw refuse(path, "does not hold a certificate in PEM");
  const bad = certificates.findIndex((pem) => tried(() => new X509Certificate(pem)) === null);
  if (bad >= 0) throw refuse(path, `cannot be read: its certificate ${bad + 1} is not valid`);
}
