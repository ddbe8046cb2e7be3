/** The floors of scripts, laboratory and tests, which are beside the house and import it in one direction. */

import { importsOf, resolvePath, type SourceFile } from "./architecture.ts";

/** The folders of the repository, each of which imports itself and those before it. */
const houses = ["src", "scripts", "lab", "test"];

/** Folders of `lab` by floor; those of one floor never meet. */
const floors: Readonly<Record<string, number>> = {
  ...{ basics: 0, "tuf-client": 0 },
  ...{ host: 1, machines: 1, publisher: 1, run: 1, simulated: 1 },
  ...{ agents: 2 },
  ...{ "command-line": 3, devices: 3, installer: 3, state: 3 },
  ...{ archives: 4, console: 4, crashes: 4 },
  ...{ api: 5, bench: 5, fleet: 5, fuzz: 5, mutation: 5, scenarios: 6, soak: 6 },
};

/** The violations by files of scripts, lab and test, whose paths are those in the repository. */
export function laboratoryViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => rulesOf(file).map((rule) => `${file.path}: ${rule}`));
}

function rulesOf({ path, text }: SourceFile): string[] {
  const house = houses.indexOf(first(path));
  const floor = floors[roomOf(path)];
  if (first(path) === "lab" && floor === undefined)
    return [`is in "${roomOf(path)}", which is no folder of the laboratory`];
  return importsOf(text).flatMap(({ specifier }) => {
    if (!specifier.startsWith(".")) return [];
    const target = resolvePath(path, specifier);
    const targetHouse = houses.indexOf(first(target));
    if (targetHouse > house) return [`imports ${target}, but ${first(path)} is below ${first(target)}`];
    if (first(path) !== "lab" || first(target) !== "lab" || roomOf(path) === roomOf(target)) return [];
    const targetFloor = floors[roomOf(target)];
    if (targetFloor !== undefined && floor !== undefined && targetFloor < floor) return [];
    return [`imports ${target}, a folder of its own floor or of a higher one`];
  });
}

const first = (path: string): string => path.split("/")[0] ?? "";

const roomOf = (path: string): string => path.split("/")[1] ?? "";
