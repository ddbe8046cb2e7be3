import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CertificateRequest, SignOwn } from "../../certificate-ports.ts";
import type { RunCommand } from "../../ports.ts";
import { openssl, subjectsOf } from "./openssl.ts";

/** Makes certificates with `openssl ca`: releases before 3.4 take dates nowhere else. `directory`: its files meanwhile. */
export function createSignOwn(run: RunCommand, directory: string): SignOwn {
  return async (request) => {
    const place = await mkdtemp(join(directory, "certificate-"));
    const file = (name: string): string => join(place, name);
    const made = (args: readonly string[]) => openssl(run, args, "The certificate for HTTPS");
    try {
      await writeFile(file("config"), configOf(place, request), { mode: 0o600 });
      await writeFile(file("key"), request.key, { mode: 0o600 });
      await writeFile(file("index"), "");
      const common = ["-batch", "-config", file("config")];
      await made(["req", "-new", ...common, "-key", file("key"), "-out", file("request")]);
      const dates = ["-startdate", asn1(request.notBefore), "-enddate", asn1(request.notAfter)];
      const files = ["-in", file("request"), "-keyfile", file("key"), "-out", file("certificate")];
      await made(["ca", "-selfsign", ...common, ...dates, ...files, "-notext"]);
      return await readFile(file("certificate"), "utf8");
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  };
}

function configOf(place: string, request: CertificateRequest): string {
  const { commonName, alternatives } = subjectsOf(request);
  return `[req]
prompt = no
distinguished_name = name
string_mask = utf8only
[name]
CN = ${commonName}
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
subjectAltName = ${alternatives}
`;
}

/** GeneralizedTime (RFC 5280 §4.1.2.5.2), to the second. */
function asn1(date: Date): string {
  return `${date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`;
}
