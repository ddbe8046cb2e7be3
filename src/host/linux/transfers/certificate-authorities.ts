import { readFile, stat } from "node:fs/promises";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { messageOf, systemErrorCode } from "../../../contract/errors.ts";
import { type Surroundings, type TrustedFileName, withPlace } from "../../surroundings.ts";
import { TransferFailure } from "../../transfer-failure.ts";
import { certificatesIn, clientCertificateIn, mostBundleBytes } from "../host-file/authorities.ts";

/** The trusted authorities, and the certificate of this device; undefined: those of the runtime, and none. */
export type CertificateAuthorities = () => Promise<SecureContext | undefined>;

/**
 * The authorities of the runtime and those of a PEM bundle, and the certificate of this device. The files are looked at
 * before each connection, and read again if one has changed. Throws TransferFailure with the reason `ca_file` or
 * `client_certificate` if one cannot be used.
 */
export function createCertificateAuthorities(surroundings: Surroundings): CertificateAuthorities {
  const readAuthorities = pemReader(surroundings, "ca_file", certificatesIn);
  const readOwn = pemReader(surroundings, "client_certificate_file", clientCertificateIn);
  let known: { ca: string[] | undefined; own: string | undefined; context: SecureContext } | undefined;
  return async () => {
    const [ca, own] = [await readAuthorities(), await readOwn()];
    if (ca === undefined && own === undefined) return undefined;
    if (known === undefined || known.ca !== ca || known.own !== own) {
      const authorities = ca && [...rootCertificates, ...ca];
      const context = createSecureContext({ ca: authorities, cert: own, key: own, minVersion: "TLSv1.2" });
      known = { ca, own, context };
    }
    return known.context;
  };
}

const files = {
  ca_file: { path: "caFile", reason: "ca_file", what: "file of certificate authorities" },
  client_certificate_file: {
    path: "clientCertificateFile",
    reason: "client_certificate",
    what: "certificate of this device",
  },
} as const;

/** Reads a file, if there is one; the content is the same object as long as the file is the same. */
function pemReader<T>(surroundings: Surroundings, name: TrustedFileName, judge: (text: string) => T) {
  const { members, untrusted } = surroundings;
  const { reason, what, path: place } = files[name];
  const path = surroundings[place];
  const member = members?.[name] ?? `network.${name}`;
  const failure = (message: string, cause?: unknown) =>
    new TransferFailure("unreachable", message, { cause, reason, member });
  let known: { stamp: string; content: T } | undefined;
  return async (): Promise<T | undefined> => {
    if (path === undefined) return undefined;
    if (untrusted?.name === name) throw failure(`${withPlace(member)} ${untrusted.detail}.`);
    try {
      const { mtimeMs, size, ino } = await stat(path);
      if (size > mostBundleBytes) throw new Error(`has more than ${mostBundleBytes} bytes`);
      const stamp = `${ino}:${size}:${mtimeMs}`;
      if (known?.stamp !== stamp) known = { stamp, content: judge(await readFile(path, "latin1")) };
      return known.content;
    } catch (cause) {
      const code = systemErrorCode(cause);
      const why = code === undefined ? messageOf(cause) : `cannot be read (${code})`;
      throw failure(`The ${what} ${path} ${why}. Repair it, or change ${withPlace(member)}.`, cause);
    }
  };
}
