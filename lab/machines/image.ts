import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pinnedRuntime, pinnedVersion } from "../../scripts/runtimes.ts";

const root = join(import.meta.dirname, "../..");

/** An image that is built once: its name below .cache, and the folder with its build.sh and its sources. */
export interface ImageRecipe {
  readonly cache: string;
  readonly sources: string;
  /** The sources of another image that its build.sh begins with. */
  readonly base?: string;
  /** The third argument of build.sh, where it builds more than one. */
  readonly machine?: string;
  /** The advice if it must be built and this process is not root. */
  readonly withoutRoot: string;
}

/** The cached folder of an image, built first if its sources have changed. Throws if building takes root. */
export function prepareImage(recipe: ImageRecipe, say: (line: string) => void): string {
  const cache = join(root, ".cache", recipe.cache);
  const folder = join(cache, imageKey(recipe));
  if (!existsSync(folder)) build(recipe, { cache, folder }, say);
  return folder;
}

/** The Node that goes into the machine; fetched the first time. */
export const ltsRuntime = (): string => pinnedRuntime("lts");

/** A hash of the image's sources, without Debian itself, which is that of the day of the build. */
function imageKey({ sources, base }: ImageRecipe): string {
  const hash = createHash("sha256");
  for (const folder of base === undefined ? [sources] : [base, sources])
    for (const name of readdirSync(folder).sort()) {
      hash
        .update(`${name}\0`)
        .update(readFileSync(join(folder, name)))
        .update("\0");
    }
  return hash.update(pinnedVersion("lts")).digest("hex").slice(0, 16);
}

function build(
  { sources, machine = "", withoutRoot }: ImageRecipe,
  { cache, folder }: { cache: string; folder: string },
  say: (line: string) => void,
): void {
  if (process.getuid?.() !== 0) throw new Error(withoutRoot);
  const begun = performance.now();
  say(`building the image of the machine${machine && ` ${machine}`} (Debian; a minute or two)`);
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const args = [join(sources, "build.sh"), unfinished, ltsRuntime(), machine];
  const { status, stdout, stderr } = spawnSync("sh", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the image could not be built:\n${stdout}${stderr}`);
  for (const name of readdirSync(cache)) {
    if (join(cache, name) !== unfinished) rmSync(join(cache, name), { recursive: true, force: true });
  }
  renameSync(unfinished, folder);
  say(`built in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
}
