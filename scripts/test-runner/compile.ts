import { readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin, stop } from "esbuild";
import { fewMediaTypes, nativePackages, requireBanner, slimPackages } from "../packages-in-bundles.ts";

/** These replace `import.meta.dirname` and its like; each file that uses them is given its own. */
const ownPlace = { dirname: "ownDirname", filename: "ownFilename", url: "ownUrl" };

export interface CompileOptions {
  /** The compiler takes this text instead of the file of that path. */
  readonly contents?: ReadonlyMap<string, string>;
  /** Imported by each file with tests before all else. */
  readonly firstImport?: string;
}

/**
 * Begins each file with tests. In glibc before 2.41 pthread_cond_signal may wake nothing (its bug 25847): a task of the file
 * system then waits in libuv's queue while all four threads sleep, until the next task wakes one. Agents always have a next
 * one; a test that awaits its one read would wait for ever.
 */
const wake =
  'import{access as nextTask}from"node:fs";setInterval(()=>nextTask("/",()=>undefined),2000).unref();';

/** A file finds its neighbours where it was written. All is put on its first line, so that the numbers of lines stay. */
const firstLine = ({ contents, firstImport }: CompileOptions): Plugin => ({
  name: "first-line",
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /\.(tsx?|m?js)$/ }, ({ path }) => {
      const text = contents?.get(path) ?? readFileSync(path, "utf8");
      const first = firstImport === undefined ? wake : `import ${JSON.stringify(firstImport)};${wake}`;
      const places = { dirname: dirname(path), filename: path, url: pathToFileURL(path).href };
      const words = Object.entries(places).map(
        ([name, value]) => `${ownPlace[name as keyof typeof ownPlace]}=${JSON.stringify(value)}`,
      );
      const own = text.includes("import.meta.") ? `const ${words.join(",")};` : "";
      const line = `${path.endsWith(".test.ts") ? first : ""}${own}`;
      const [, loader = "js"] = /\.(tsx?)$/.exec(path) ?? [];
      if (line === "" && !contents?.has(path)) return null;
      return { contents: `${line}${text}`, loader: loader as "js" | "ts" | "tsx" };
    });
  },
});

/**
 * Bundles the packages that the program depends on, as the build does: to read them from a hundred small files of
 * node_modules took half of the time that a test of the whole agent takes to load. Packages that only tests need stay
 * where they are.
 */
const ownPackages = (root: string): Plugin => ({
  name: "own-packages",
  setup: (esbuild) => {
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    const isBundled = (name: string): boolean => name in dependencies && !nativePackages.includes(name);
    esbuild.onResolve({ filter: /^[a-z@]/ }, ({ path, importer, kind }) => {
      if (kind === "entry-point" || importer.includes("/node_modules/")) return null;
      const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
      return isBundled(name) ? null : { path, external: true };
    });
  },
});

/**
 * The program's validators are kept as the tests' own are (lab/agents/kept-validators.ts): to compile those of one agent took a
 * fifth of a second. conf, which is given no schema, would bring ajv all the same.
 */
const keptValidators = (root: string): Plugin => ({
  name: "kept-validators",
  setup: (esbuild) => {
    const namespace = "kept-validators";
    esbuild.onResolve({ filter: /^ajv(-formats|\/dist\/2020\.js)$/ }, ({ importer }) => {
      if (importer.endsWith("/src/store/validation/compile.ts")) return { path: "kept", namespace };
      return /node_modules\/conf\//.test(importer) ? { path: "none", namespace } : null;
    });
    esbuild.onLoad({ filter: /^kept$/, namespace }, () => ({
      contents: `import { codeTag as _, createAjv, keptValidator } from ${JSON.stringify(join(root, "lab/agents/kept-validators.ts"))};
export function Ajv2020(options) {
  if (options.code.source) return createAjv(options);
  const compile = (schema) => keptValidator(options, schema);
  // They are compiled with long-lists.ts.
  return { compile, getKeyword: () => ({}), removeKeyword: () => undefined, addKeyword: () => undefined };
}
export { _ };`,
      resolveDir: root,
      loader: "js",
    }));
    esbuild.onLoad({ filter: /^none$/, namespace }, () => ({
      contents: `function refuse() { throw new Error("conf is given no schema"); }
export { refuse as Ajv2020, refuse as default };`,
      loader: "js",
    }));
  },
});

/** Files that a group has at least, to be compiled apart from the others. */
const fewestApart = 20;

/**
 * Compiles test files with all that they import into `directory` (both relative to `root`); gives back their paths
 * there, in the same order. Compiled once they start in a third of the time, without a loader thread and a compiler's
 * process beside each of them.
 */
export async function compileTests(
  root: string,
  directory: string,
  files: readonly string[],
  options: CompileOptions = {},
): Promise<string[]> {
  rmSync(join(root, directory), { recursive: true, force: true });
  for (const together of groupsOf(files)) await compileTogether(root, directory, together, options);
  await stop();
  return files.map((file) => join(root, directory, normalize(file).replace(/\.ts$/, ".js")));
}

/**
 * By folders of `test`, the small ones as one. What several files of a group import is cut where their needs differ: were all
 * of them one group, a file would load 85 pieces on average and 270 at most, each of which costs nearly two milliseconds.
 */
function groupsOf(files: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const folder = file.split("/").slice(0, 2).join("/");
    groups.set(folder, [...(groups.get(folder) ?? []), file]);
  }
  const isApart = ({ length }: readonly string[]): boolean => length >= fewestApart;
  const together = [...groups.values()].filter((group) => !isApart(group)).flat();
  return [...[...groups.values()].filter(isApart), ...(together.length > 0 ? [together] : [])];
}

async function compileTogether(
  root: string,
  directory: string,
  files: readonly string[],
  options: CompileOptions,
): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [...files],
    ...{ outbase: root, outdir: directory, chunkNames: "parts/[hash]" },
    ...{ bundle: true, splitting: true, external: [...nativePackages], sourcemap: "linked" },
    ...{ format: "esm", platform: "node", target: "node20", logLevel: "warning" },
    ...{ jsx: "automatic", jsxImportSource: "preact" },
    define: Object.fromEntries(Object.entries(ownPlace).map(([name, word]) => [`import.meta.${name}`, word])),
    banner: { js: requireBanner },
    // Faults that are put into the sources, and into schemas, are compiled with them.
    plugins: [
      ...(options.contents ? [] : [keptValidators(root)]),
      ownPackages(root),
      fewMediaTypes,
      slimPackages,
      firstLine(options),
    ],
  });
}
