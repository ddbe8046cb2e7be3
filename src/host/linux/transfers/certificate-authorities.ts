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
  const { caFile, clientCertificateFile, untrusted } = surroundings;
  if (caFile === undefined && clientCertificateFile === undefined) return async () => undefined;
  let known: { stamp: string; context: SecureContext } | undefined;
  const judged = <T>(
    name: keyof typeof reasons,
    path: string | undefined,
    work: (path: string) => Promise<T>,
  ) =>
    path === undefined ? undefined : work(path).catch((cause) => refuse(surroundings, name, path, cause));
  return async () => {
    if (untrusted)
      throw failure(surroundings, untrusted.name, (member) => `${withPlace(member)} ${untrusted.detail}.`);
    const stamps = [
      await judged("ca_file", caFile, stampOf),
      await judged("client_certificate_file", clientCertificateFile, stampOf),
    ];
    const stamp = stamps.join();
    if (known?.stamp === stamp) return known.context;
    const ca = await judged("ca_file", caFile, async (path) => certificatesIn(await textOf(path)));
    const own = await judged("client_certificate_file", clientCertificateFile, async (path) =>
      clientCertificateIn(await textOf(path)),
    );
    const context = createSecureContext({
      ...(ca && { ca: [...rootCertificates, ...ca] }),
      ...(own && { cert: own, key: own }),
      minVersion: "TLSv1.2",
    });
    known = { stamp, context };
    return context;
  };
}

async function stampOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path);
  if (size > mostBundleBytes) throw new Error(`has more than ${mostBundleBytes} bytes`);
  return `${ino}:${size}:${mtimeMs}`;
}

function textOf(path: string): Promise<string> {
  return readFile(path, "latin1");
}

const reasons = {
  ca_file: ["ca_file", "file of certificate authorities"],
  client_certificate_file: ["client_certificate", "certificate of this device"],
} as const;

function failure(
  { members }: Surroundings,
  name: TrustedFileName,
  words: (member: string) => string,
  cause?: unknown,
): TransferFailure {
  const member = members?.[name] ?? `network.${name}`;
  return new TransferFailure("unreachable", words(member), { cause, reason: reasons[name][0], member });
}

function refuse(surroundings: Surroundings, name: TrustedFileName, path: string, cause: unknown): never {
  const code = systemErrorCode(cause);
  const why = code === undefined ? messageOf(cause) : `cannot be read (${code})`;
  const words = (member: string) =>
    `The ${reasons[name][1]} ${path} ${why}. Repair it, or change ${withPlace(member)}.`;
  throw failure(surroundings, name, words, cause);
}
