import type { SigningRequest } from "../../certificate-ports.ts";
import type { RunCommand } from "../../ports.ts";
import { openssl, subjectsOf } from "./openssl.ts";

/** Makes a request by Debian's openssl (PKCS #10, RFC 2986), as PEM. Throws `internal_error`. */
export async function signRequest(
  run: RunCommand,
  { keyFile, ...subjects }: SigningRequest,
): Promise<string> {
  const { commonName, alternatives } = subjectsOf(subjects);
  const args = [
    // The system's configuration would add its own name and extensions.
    ...["req", "-new", "-batch", "-config", "/dev/null", "-utf8", "-sha256", "-key", keyFile],
    ...["-subj", `/CN=${commonName}`, "-addext", `subjectAltName=${alternatives}`],
    ...["-addext", "keyUsage=critical,digitalSignature", "-addext", "extendedKeyUsage=serverAuth"],
  ];
  return openssl(run, args, "The request");
}
