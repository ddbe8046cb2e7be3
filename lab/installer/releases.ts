import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, lstat, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The pump's releases do one of these when they run. */
export type Behaviour = "is well" | "is unwell" | "exits" | "hangs" | "fails later" | "does not load";

/** A release as the tests describe it. */
export interface ReleaseModel {
  readonly kind: "rules" | "binary";
  readonly version: string;
  readonly does: Behaviour;
  /** A release that fails later gives so many good answers first; default 0. */
  readonly afterAnswers?: number;
}

/** A release packed as a payload. */
export interface PackedRelease extends ReleaseModel {
  /** As the installer names it: the first 128 bits of its SHA-512, in hex. */
  readonly id: string;
  readonly file: string;
  /** The tree had this hash when it was packed. */
  readonly treeHash: string;
}

/** The pump's programs and settings, beside this file. */
export const productDirectory = join(import.meta.dirname, "product");

/** Makes the tree of a release and its payload below `directory`. */
export async function packRelease(directory: string, model: ReleaseModel): Promise<PackedRelease> {
  const { kind, version, does, afterAnswers = 0 } = model;
  const tree = join(directory, `${kind}-${version}`);
  await mkdir(join(tree, "share", "texts"), { recursive: true });
  const says = `${JSON.stringify({ kind, version, does, afterAnswers }, null, 2)}\n`;
  await writeFile(join(tree, "release.json"), does === "does not load" ? "{" : says);
  await writeFile(join(tree, "share", "texts", "welcome.txt"), `the pump's ${kind} ${version}\n`.repeat(50));
  if (kind === "binary") {
    await cp(join(productDirectory, "serve.mjs"), join(tree, "serve.mjs"));
    await writeFile(join(tree, "serve"), `#!/bin/sh\nexec node "\${0%/*}/serve.mjs" "$@"\n`);
    await chmod(join(tree, "serve"), 0o755);
  }
  const file = `${tree}.tar.gz`;
  execFileSync("tar", ["-czf", file, "--owner=0", "--group=0", "-C", tree, "."]);
  const id = createHash("sha512")
    .update(await readFile(file))
    .digest("hex")
    .slice(0, 32);
  return { ...model, id, file, treeHash: await treeHash(tree) };
}

/** Hashes names, kinds, rights to run and contents of everything in a directory. */
export async function treeHash(directory: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(directory, { recursive: true })).sort()) {
    const path = join(directory, name);
    const stats = await lstat(path);
    if (stats.isDirectory()) hash.update(`directory ${name}\n`);
    else if (stats.isSymbolicLink()) hash.update(`link ${name} ${await readlink(path)}\n`);
    else {
      const content = createHash("sha256").update(await readFile(path));
      hash.update(`file ${name} ${(stats.mode & 0o111) !== 0} ${content.digest("hex")}\n`);
    }
  }
  return hash.digest("hex");
}
