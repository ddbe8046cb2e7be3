import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A server needs both, in PEM. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

export interface Authority {
  /** A PEM file with its certificate. */
  path: string;
  /** A certificate for a name; the days may lie in the past. */
  certify(name: string, validity?: { from: string; until: string }): ServerCertificate;
}

const always = { from: "20000101000000Z", until: "20991231235959Z" };

/** A certificate of any kind. */
export interface CertificateWish {
  /** The common name. */
  name: string;
  /** Lines of x509v3_config(5). */
  extensions?: readonly string[];
  validity?: { from: string; until: string };
  /** Words of `openssl req` for its key; by default P-256. */
  key?: readonly string[];
  /** The hash that its issuer signs; by default sha256. */
  hash?: string;
}

/** A certificate, which may issue others. */
export interface Issuer extends ServerCertificate {
  /** PEM files. */
  path: string;
  keyPath: string;
  issue(wish: CertificateWish): Issuer;
  /** PEM: the certificate for a request (PKCS #10). Without `extensions` it has those of the request. */
  answer(request: string, wish?: Pick<CertificateWish, "extensions" | "validity">): string;
}

/** An authority made by openssl in `directory`, and what it certifies. */
export function createAuthority(directory: string): Authority {
  const openssl = ["-x509", "-days", "3650", "-out", "ca.pem", "-subj", "/CN=Test authority"];
  execFileSync("openssl", [...newKey("ca.key"), ...openssl], { cwd: directory, stdio: "ignore" });
  const path = join(directory, "ca.pem");
  return {
    path,
    certify: (name, validity = always) => {
      const extensions = [`subjectAltName=${/^[0-9.]+$/.test(name) ? "IP" : "DNS"}:${name}`];
      const issuer = { path, keyPath: join(directory, "ca.key") };
      const { key, cert } = issued(directory, { name, validity, extensions }, issuer);
      return { key, cert };
    },
  };
}

/** A certificate that has signed itself, made by openssl in a folder of `directory`. */
export function selfSigned(directory: string, wish: CertificateWish): Issuer {
  return issued(directory, wish, null);
}

function issued(
  directory: string,
  wish: CertificateWish,
  issuer: Pick<Issuer, "path" | "keyPath"> | null,
): Issuer {
  const place = mkdtempSync(join(directory, "certificate-"));
  const made = [...newKey("key", wish.key), "-out", "csr", "-subj", `/CN=${wish.name}`];
  execFileSync("openssl", made, { cwd: place, stdio: "ignore" });
  const cert = signed(place, wish, issuer);
  const [path, keyPath] = [join(place, "pem"), join(place, "key")];
  const files = { path, keyPath, cert, key: readFileSync(keyPath, "utf8") };
  return {
    ...files,
    issue: (next) => issued(directory, next, files),
    answer: (request, next = {}) => {
      const other = mkdtempSync(join(directory, "answer-"));
      writeFileSync(join(other, "csr"), request);
      return signed(other, next, files);
    },
  };
}

/** Signs the request `csr` of a folder. */
function signed(
  place: string,
  { extensions, validity = always, hash = "sha256" }: Omit<CertificateWish, "name">,
  issuer: Pick<Issuer, "path" | "keyPath"> | null,
): string {
  writeFileSync(join(place, "index"), "");
  writeFileSync(
    join(place, "ca.cnf"),
    [
      "[ca]\ndefault_ca=here",
      `[here]\ndatabase=index\nrand_serial=yes\nnew_certs_dir=.\ndefault_md=${hash}`,
      `policy=any\nunique_subject=no\n${extensions === undefined ? "copy_extensions=copy" : ""}`,
      "[any]\ncommonName=supplied",
      ["[extensions]", ...(extensions ?? []), ""].join("\n"),
    ].join("\n"),
  );
  const by =
    issuer === null ? ["-selfsign", "-keyfile", "key"] : ["-keyfile", issuer.keyPath, "-cert", issuer.path];
  const files = ["-in", "csr", "-out", "pem", "-notext", "-extensions", "extensions"];
  const dates = ["-startdate", validity.from, "-enddate", validity.until];
  const words = ["ca", "-batch", "-config", "ca.cnf", ...files, ...by, ...dates];
  execFileSync("openssl", words, { cwd: place, stdio: "ignore" });
  return readFileSync(join(place, "pem"), "utf8");
}

const p256 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

function newKey(path: string, kind: readonly string[] = p256): string[] {
  return ["req", ...kind, "-nodes", "-keyout", path];
}
