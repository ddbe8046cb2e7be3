/** Which test files run in one process: to start it and to read the agent's code costs some of them more than their tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** One process of a run: a file of its own, or several of a folder, one after the other. */
export interface TestProcess {
  /** The file, or the folder with a number. */
  readonly name: string;
  readonly files: readonly string[];
}

/** A process is given no more files of its folder: it takes as long as all of them. */
const mostFiles = 6;

/**
 * Each of these files has a process to itself: they change what belongs to the process, such as its descriptors or its
 * streams, take long enough by themselves, or start an agent at the top of the file. Node goes on with the next file
 * while such a start is awaited, and once its tests are over, the end of all comes before the tests of the first.
 */
const alone =
  /^test\/(build\/|docs\/|installer\/[^/]+$|device\/configuration\/(apply|update-root)\.test\.ts$)/;

export function processesOf(files: readonly string[]): readonly TestProcess[] {
  const folders = new Map<string, string[]>();
  for (const file of files) {
    const name = alone.test(file) ? file : dirname(file);
    folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  return [...folders].flatMap(([folder, own]) => {
    const count = Math.ceil(own.length / mostFiles);
    return Array.from({ length: count }, (_, at) => {
      const part = own.filter((_, index) => index % count === at);
      return { name: part.length === 1 ? String(part) : `${folder} ${at + 1}`, files: part };
    });
  });
}

/** The file that a process runs: `compiled` gives those of its own. */
export function entryOf(directory: string, { name, files }: TestProcess, compiled: (file: string) => string) {
  const paths = files.map(compiled);
  if (paths.length === 1) return String(paths);
  const path = join(directory, "together", `${name.replaceAll(/[^a-z0-9]+/g, "-")}.mjs`);
  mkdirSync(dirname(path), { recursive: true });
  const imports = paths.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
  writeFileSync(path, imports.join(""));
  return path;
}
