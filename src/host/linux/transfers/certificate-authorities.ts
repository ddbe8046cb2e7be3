import { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { messageOf, systemErrorCode } from "../../../contract/errors.ts";
import { type Surroundings, withPlace } from "../../surroundings.ts";
import { TransferFailure } from "../../transfer-failure.ts";

/** Bytes of a bundle: twenty times that of Debian. */
const mostBundleBytes = 4_194_304;

/** The trusted authorities; undefined: those of the runtime. */
export type CertificateAuthorities = () => Promise<SecureContext | undefined>;

/**
 * The authorities of the runtime, and those of a PEM bundle. The bundle is checked before each connection, and read again
 * if it has changed. Throws TransferFailure with the reason `ca_file` if it cannot be used.
 */
export function createCertificateAuthorities({
  caFile: bundlePath,
  members,
}: Pick<Surroundings, "caFile" | "members">): CertificateAuthorities {
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
      const why = systemErrorCode(cause) ?? messageOf(cause);
      const member = members?.ca_file ?? "network.ca_file";
      throw new TransferFailure(
        "unreachable",
        `The bundle of certificate authorities ${bundlePath} cannot be used (${why}). ` +
          `It must hold certificates in PEM. Repair it, or change ${withPlace(member)}.`,
        { cause, reason: "ca_file", member },
      );
    }
  };
}

/** OpenSSL silently ignores certificates that it cannot read, so each is read here first. */
async function contextOf(bundle: string): Promise<SecureContext> {
  const certificates = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = bundle.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun === 0) throw new Error("it holds no certificate");
  if (begun !== certificates.length) throw new Error("one of its certificates is truncated");
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (cause) {
      throw new Error(`its certificate ${index + 1} of ${begun} cannot be read`, { cause });
    }
  }
  return createSecureContext({ ca: [...rootCertificates, ...certificates], minVersion: "TLSv1.2" });
}
