import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NewRelease } from "../../../machines/host/publisher.ts";
import { type Behaviour, server } from "../demo-product.ts";

/** The directory of the host part, in memory, gone with the scenario. */
const place = "/run/rauc";

/** Bytes of a slot. */
const slotBytes = 4 * 1024 * 1024;

/** A system image: the product, as a file system that is mounted and never written. */
function putImage(version: string, behaviour: Behaviour, file: string): void {
  mkdirSync(place, { recursive: true });
  const tree = mkdtempSync(join(place, "tree-"));
  writeFileSync(join(tree, "server.pl"), server(version, behaviour));
  writeFileSync(join(tree, "version"), `${version}\n`);
  run("mksquashfs", tree, file, "-all-root", "-noappend", "-quiet", "-no-progress");
  rmSync(tree, { recursive: true });
}

/** The slots as the factory has filled them: one with 1.0.0, and an empty one. */
export function putSlots(directory: string): void {
  putImage("1.0.0", "good", join(directory, "A.img"));
  writeFileSync(join(directory, "B.img"), "");
  for (const slot of ["A", "B"]) truncateSync(join(directory, `${slot}.img`), slotBytes);
}

/** The certificate that the device trusts. */
export function putKeyring(directory: string): void {
  cpSync(certificate("publisher"), join(directory, "keyring.pem"));
}

/** A release with a signed bundle of RAUC; `signer`: another than the device's publisher. */
export function imageRelease(
  version: string,
  behaviour: Behaviour = "good",
  signer: "publisher" | "stranger" = "publisher",
): NewRelease {
  const tree = (directory: string): void => {
    const content = mkdtempSync(join(place, "bundle-"));
    putImage(version, behaviour, join(content, "system.img"));
    const manifest = `[update]\ncompatible=demo\nversion=${version}\n\n[bundle]\nformat=plain\n\n[image.system]\nfilename=system.img\n`;
    writeFileSync(join(content, "manifest.raucm"), manifest);
    const signed = [`--cert=${certificate(signer)}`, `--key=${join(place, `${signer}.key`)}`];
    run("rauc", ...signed, "bundle", content, join(directory, "image.raucb"));
    rmSync(content, { recursive: true });
  };
  return { kind: "binary", version, tree };
}

/** A self-signed one, made at its first use. */
function certificate(name: string): string {
  const file = join(place, `${name}.pem`);
  if (existsSync(file)) return file;
  mkdirSync(place, { recursive: true });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const out = ["-subj", `/CN=${name}`, "-keyout", join(place, `${name}.key`), "-out", file];
  run("openssl", "req", "-x509", ...key, "-days", "30", ...out);
  return file;
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
}
