import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** An authority made by openssl in `directory`, and what it certifies. */
export function createAuthority(directory: string): Authority {
  const openssl = (...args: string[]): void => {
    execFileSync("openssl", args, { cwd: directory, stdio: "ignore" });
  };
  openssl(...newKey("ca.key"), "-x509", "-days", "3650", "-out", "ca.pem", "-subj", "/CN=Test authority");
  let made = 0;
  return {
    path: join(directory, "ca.pem"),
    certify: (name, { from, until } = always) => {
      made += 1;
      const at = `server${made}`;
      mkdirSync(join(directory, at));
      writeFileSync(join(directory, at, "index"), "");
      writeFileSync(join(directory, at, "serial"), "01\n");
      writeFileSync(
        join(directory, at, "ca.cnf"),
        [
          "[ca]\ndefault_ca=here",
          `[here]\ndatabase=${at}/index\nserial=${at}/serial\nnew_certs_dir=${at}\ndefault_md=sha256`,
          "policy=any\nunique_subject=no\n[any]\ncommonName=supplied",
          `[names]\nsubjectAltName=${/^[0-9.]+$/.test(name) ? "IP" : "DNS"}:${name}\n`,
        ].join("\n"),
      );
      openssl(...newKey(`${at}/key`), "-out", `${at}/csr`, "-subj", `/CN=${name}`);
      openssl(
        ...["ca", "-batch", "-config", `${at}/ca.cnf`, "-extensions", "names", "-in", `${at}/csr`],
        ...["-out", `${at}/pem`, "-keyfile", "ca.key", "-cert", "ca.pem", "-notext"],
        ...["-startdate", from, "-enddate", until],
      );
      const read = (file: string): string => readFileSync(join(directory, at, file), "utf8");
      return { key: read("key"), cert: read("pem") };
    },
  };
}

function newKey(path: string): string[] {
  return ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", path];
}
