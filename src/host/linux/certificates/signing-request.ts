import { StewardError } from "../../../contract/errors.ts";
import type { SigningRequest } from "../../certificate-ports.ts";
import type { RunCommand } from "../../ports.ts";

/** Milliseconds for one run of openssl, which takes a fiftieth of it on a slow device. */
const timeoutMilliseconds = 20_000;

/** Characters of a common name (RFC 5280, ub-common-name). */
const longestCommonName = 64;

/** Makes a request by Debian's openssl (PKCS #10, RFC 2986), as PEM. Throws `internal_error`. */
export async function signRequest(
  run: RunCommand,
  { keyFile, names, addresses }: SigningRequest,
): Promise<string> {
  const alternatives = [...names.map((name) => `DNS:${name}`), ...addresses.map((one) => `IP:${one}`)];
  const [commonName = "steward"] = names;
  const args = [
    // The system's configuration would add its own name and extensions.
    ...["req", "-new", "-batch", "-config", "/dev/null", "-utf8", "-sha256", "-key", keyFile],
    ...["-subj", `/CN=${commonName.slice(0, longestCommonName)}`],
    ...["-addext", `subjectAltName=${alternatives.join(",")}`],
    ...["-addext", "keyUsage=critical,digitalSignature", "-addext", "extendedKeyUsage=serverAuth"],
  ];
  const ran = await run("openssl", args, { timeoutMilliseconds }).catch(() => {
    throw failure("openssl is not installed. Install it: apt-get install openssl");
  });
  if (ran.status === 0) return ran.stdout;
  const said = ran.stderr.trim().split("\n").at(-1) ?? "";
  throw failure(`openssl req ended with ${ran.status ?? "a signal"}: ${said}`);
}

function failure(detail: string): StewardError {
  return new StewardError("internal_error", `The request cannot be made: ${detail}.`);
}
