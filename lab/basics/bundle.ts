import { basename, join } from "node:path";
import { requireBanner } from "../../scripts/packages-in-bundles.ts";

/** Makes a program of one file, so that a start costs little; its path in `directory`. `source` is the path of its source. */
export async function bundle(directory: string, source: string): Promise<string> {
  // Loaded here, not by everyone who imports this file.
  const { build } = await import("esbuild");
  const outfile = join(directory, `${basename(source, ".ts")}.mjs`);
  await build({
    entryPoints: [source],
    ...{ outfile, bundle: true, format: "esm", platform: "node", minify: true, logLevel: "warning" },
    banner: { js: requireBanner },
  });
  return outfile;
}
