/** The program of publishers, steward-publisher: one file for every kind of machine, and what shells and man(1) have of it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { commandTable } from "../../src/publisher/command-table.ts";
import { manualPage, publisherPage } from "../manual-page.ts";
import type { Stamp } from "../stamp.ts";
import { billOfMaterials, bundledPackages, notesInputs, npmComponent } from "./bill-of-materials.ts";
import { writeCompletion } from "./completion.ts";

/** The file that Node runs; CommonJS by its ending, wherever it is put. */
export const publisherProgram = "main.cjs";

/** Writes the program into the directory `into`, which is made again. Returns the files that it is made of. */
export async function buildPublisher(into: string, stamp: Stamp): Promise<Set<string>> {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(join(into, "man"), { recursive: true });
  const inputs = new Set<string>();
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/publisher/main.ts")],
    outfile: join(into, publisherProgram),
    ...{ bundle: true, platform: "node", format: "cjs", target: "node20", minify: true, charset: "ascii" },
    ...{ legalComments: "none", logLevel: "warning" },
    define: { STEWARD_BUILD: JSON.stringify(JSON.stringify(stamp)) },
    plugins: [notesInputs(inputs)],
  });
  writeCompletion(into, commandTable);
  const edition = { version: stamp.version, date: stamp.date?.slice(0, 10) ?? "" };
  writeFileSync(join(into, "man/steward-publisher.1"), manualPage(commandTable, publisherPage, edition));
  const packages = bundledPackages(inputs).map(npmComponent);
  writeFileSync(
    join(into, "sbom.cdx.json"),
    billOfMaterials({ name: "steward-publisher", ...stamp }, packages),
  );
  return inputs;
}
