import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const cache = join(root, ".cache/appliance-vm");

/** The machine without the project's files: paths of what qemu is given. */
export interface Image {
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
}

/** The image out of the cache, built first where what goes into it has changed. Throws where that takes root. */
export function prepareImage(say: (line: string) => void): Image {
  const folder = join(cache, imageKey());
  if (!existsSync(folder)) build(folder, say);
  return { disk: join(folder, "disk.img"), kernel: join(folder, "vmlinuz"), initrd: join(folder, "initrd") };
}

/** The Node that goes into the machine. */
function runtime(): string {
  return execFileSync("sh", [join(root, "scripts/lts-runtime.sh")], { cwd: root, encoding: "utf8" }).trim();
}

/** Everything that the image is made of but Debian itself, which is whatever it was on the day of the building. */
function imageKey(): string {
  const hash = createHash("sha256");
  const sources = join(import.meta.dirname, "image");
  for (const name of readdirSync(sources).sort()) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(sources, name)))
      .update("\0");
  }
  return hash
    .update(readFileSync(join(root, "scripts/lts-runtime.sh")))
    .digest("hex")
    .slice(0, 16);
}

function build(folder: string, say: (line: string) => void): void {
  if (process.getuid?.() !== 0) {
    throw new Error(
      "the machine's image is built as root: run `sudo make vm-image` once; the machine itself needs no root",
    );
  }
  const begun = performance.now();
  say("building the machine's image (Debian 12; about a minute)");
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    "sh",
    [join(import.meta.dirname, "image/build.sh"), unfinished, runtime()],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`the image could not be built:\n${stdout}${stderr}`);
  for (const name of readdirSync(cache)) {
    if (join(cache, name) !== unfinished) rmSync(join(cache, name), { recursive: true, force: true });
  }
  renameSync(unfinished, folder);
  say(`built in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
}
