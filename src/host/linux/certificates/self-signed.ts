import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../../contract/errors.ts";
import type { CertificateRequest, SignOwn } from "../../certificate-ports.ts";
import type { RunCommand } from "../../ports.ts";

/** Milliseconds for one run of openssl, which takes a fiftieth of it on a slow device. */
const timeoutMilliseconds = 20_000;

/** Characters of a common name (RFC 5280, ub-common-name). */
const longestCommonName = 64;

/**
 * Makes certificates with Debian's openssl, by `openssl ca`, because releases before 3.4 take the dates of a
 * certificate nowhere else. Its files are in `directory` until it is done.
 */
export function createSignOwn(run: RunCommand, directory: string): SignOwn {
  return async (request) => {
    const place = await mkdtemp(join(directory, "certificate-"));
    const file = (name: string): string => join(place, name);
    const openssl = async (args: readonly string[]): Promise<void> => {
      const ran = await run("openssl", args, { timeoutMilliseconds }).catch(() => {
        throw failure("openssl is not installed. Install it: apt-get install openssl");
      });
      if (ran.status === 0) return;
      const said = ran.stderr.trim().split("\n").at(-1) ?? "";
      throw failure(`openssl ${args[0]} ended with ${ran.status ?? "a signal"}: ${said}`);
    };
    try {
      await writeFile(file("config"), configOf(place, request), { mode: 0o600 });
      await writeFile(file("key"), request.key, { mode: 0o600 });
      await writeFile(file("index"), "");
      const common = ["-batch", "-config", file("config")];
      await openssl(["req", "-new", ...common, "-key", file("key"), "-out", file("request")]);
      const dates = ["-startdate", asn1(request.notBefore), "-enddate", asn1(request.notAfter)];
      const files = ["-in", file("request"), "-keyfile", file("key"), "-out", file("certificate")];
      await openssl(["ca", "-selfsign", ...common, ...dates, ...files, "-notext"]);
      return await readFile(file("certificate"), "utf8");
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  };
}

function configOf(place: string, { names, addresses }: CertificateRequest): string {
  const alternatives = [...names.map((name) => `DNS:${name}`), ...addresses.map((one) => `IP:${one}`)];
  const [commonName = "steward"] = names;
  return `[req]
prompt = no
distinguished_name = name
string_mask = utf8only
[name]
CN = ${commonName.slice(0, longestCommonName)}
[ca]
default_ca = own
[own]
database = ${place}/index
new_certs_dir = ${place}
default_md = sha256
policy = named
x509_extensions = extensions
unique_subject = no
rand_serial = yes
[named]
commonName = supplied
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
subjectAltName = ${alternatives.join(", ")}
`;
}

/** GeneralizedTime (RFC 5280 §4.1.2.5.2), to the second. */
function asn1(date: Date): string {
  return `${date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`;
}

function failure(detail: string): StewardError {
  return new StewardError("internal_error", `The certificate for HTTPS cannot be made: ${detail}.`);
}
