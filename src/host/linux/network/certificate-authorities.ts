import { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { SecureContext } from "node:tls";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";

/** Bytes of a bundle: that of Debian is a twentieth of it. */
const mostBundleBytes = 4_194_304;

/** Whose certificates are believed: undefined means those that the runtime knows. */
export type CertificateAuthorities = () => Promise<SecureContext | undefined>;

/**
 * The runtime's own authorities, and beside them those of a PEM bundle. It is looked at before each connection and read
 * again when it has changed. Throws `update_server_unreachable` with the reason `ca_file` where it is of no use.
 */
export function createCertificateAuthorities(bundlePath: string | undefined): CertificateAuthorities {
  if (bundlePath === undefined) return async () => undefined;
  let known: { stamp: string; context: SecureContext } | undefined;
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(bundlePath);
      const stamp = `${ino}:${size}:${mtimeMs}`;
      if (known?.stamp !== stamp) {
        if (size > mostBundleBytes) throw new Error(`it is larger than ${mostBundleBytes} bytes`);
        known = { stamp, context: await contextOf(await readFile(bundlePath, "latin1")) };
      }
      return known.context;
    } catch (cause) {
      const why = systemErrorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
      throw new StewardError(
        "update_server_unreachable",
        `The bundle of certificate authorities ${bundlePath} cannot be used (${why}). ` +
          `It must hold certificates in PEM. Mend it, or take update.ca_file out of the host file.`,
        { cause, details: { reason: "ca_file" } },
      );
    }
  };
}

/** OpenSSL passes over what it cannot read, and would leave the operator to guess: each certificate is read here first. */
async function contextOf(bundle: string): Promise<SecureContext> {
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = bundle.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun === 0) throw new Error("there is no certificate in it");
  if (begun !== certificates.length) throw new Error("one of its certificates is cut off");
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw new Error(`its certificate ${index + 1} of ${begun} cannot be read`, { cause });
    }
  }
  const { createSecureContext, rootCertificates } = await import("node:tls");
  return createSecureContext({ ca: [...rootCertificates, ...certificates], minVersion: "TLSv1.2" });
}
