import { StewardError } from "../../../contract/errors.ts";
import type { SigningRequest, Subjects } from "../../certificate-ports.ts";
import type { RunCommand } from "../../ports.ts";

/** Milliseconds for one run of openssl, which takes a fiftieth of it on a slow device. */
const timeoutMilliseconds = 20_000;

/** Characters of a common name (RFC 5280, ub-common-name). */
const longestCommonName = 64;

/** Runs Debian's openssl, which makes `what`, and returns its output. Throws `internal_error`. */
export async function openssl(run: RunCommand, args: readonly string[], what: string): Promise<string> {
  const failure = (why: string) => new StewardError("internal_error", `${what} cannot be made: ${why}.`);
  const ran = await run("openssl", args, { timeoutMilliseconds }).catch(() => {
    throw failure("openssl is not installed. Install it: apt-get install openssl");
  });
  if (ran.status === 0) return ran.stdout;
  const said = ran.stderr.trim().split("\n").at(-1) ?? "";
  throw failure(`openssl ${args[0]} ended with ${ran.status ?? "a signal"}: ${said}`);
}

/** The subject, which only people read, and the names that count (RFC 9525 §2). */
export function subjectsOf({ names, addresses }: Subjects) {
  const [commonName = "steward"] = names;
  const alternatives = [...names.map((name) => `DNS:${name}`), ...addresses.map((one) => `IP:${one}`)];
  return { commonName: commonName.slice(0, longestCommonName), alternatives: alternatives.join(",") };
}

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
