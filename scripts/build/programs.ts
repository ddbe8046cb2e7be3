/** The bundles of the program: the entry files, and their parts. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin, transform } from "esbuild";
import { fewMediaTypes, nativePackages, slimPackages } from "../packages-in-bundles.ts";
import { notesInputs } from "./bill-of-materials.ts";
import { eventRows, eventTable } from "./event-rows.ts";
import { exportedAtOnce } from "./exported-at-once.ts";
import { operationRows, operationTable } from "./operation-rows.ts";
import { plainSchemas } from "./plain-schemas.ts";
import { compiledValidators, validatorFiles } from "./validators.ts";
import { whenFirstUsed } from "./when-first-used.ts";

const root = join(import.meta.dirname, "../..");
const source = (path: string): string => join(root, "src", path);

/** Each runs without the others, whole in one file: processes that are started now and then. */
const alone = {
  ...{ "slow-facts": source("programs/slow-facts.ts"), "self-check": source("programs/self-check.ts") },
  ...{ backup: source("programs/backup.ts"), "nts-key-exchange": source("programs/nts-key-exchange.ts") },
  "unpack-patch": source("programs/unpack-patch.ts"),
  "make-code-caches": join(import.meta.dirname, "make-code-caches.ts"),
  "warm-run": join(import.meta.dirname, "warm-run.ts"),
};

/** The three programs, each a part that is split where it imports something only when it is needed. */
const programs = {
  agent: "programs/agent/main.ts",
  "command-line": "programs/command-line/main.ts",
  installer: "programs/installer/main.ts",
};

/** The entry files. A launcher that was installed before knows these names, of each release that comes after it. */
const started = { main: "programs/steward.ts", installer: "programs/installer/main.ts" };

/** The sources that all of the device's programs begin with. */
export const deviceEntries: readonly string[] = [
  ...Object.values({ ...programs, ...started }).map(source),
  ...Object.values(alone).filter((path) => path.startsWith(source(""))),
];

/**
 * koa asks of each body whether it is a Response; the first look at that global makes Node load its fetch, 3 MiB and
 * 8 ms. The agent never fetches, so a class that nothing is an instance of serves as well. Assigned: defining the
 * property would make Node 24 load it as well.
 */
const noResponse = "globalThis.Response=class Response{};";

/** Gives the program this text in the place of a source. */
const instead = (filter: RegExp, contents: () => string): Plugin => ({
  ...{
    name: String(filter),
    setup: ({ onLoad }) => onLoad({ filter }, () => ({ contents: contents(), loader: "js" })),
  },
});

/** The same in the place of a package or a module of Node's. */
const insteadOf = (filter: RegExp, namespace: string, contents: (path: string) => string): Plugin => ({
  name: namespace,
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter }, ({ path }) => ({ path, namespace }));
    onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contents(path), loader: "js" }));
  },
});

const replacements: readonly Plugin[] = [
  // The program never compiles a schema: its validators are compiled by the build, and conf is given none to check. So ajv
  // itself, a quarter of what would be read at each start, stays out.
  insteadOf(
    /^ajv(-formats|\/dist\/2020\.js)$/,
    "no-compiler",
    (
      path,
    ) => `function refuse() { throw new Error("${path} is not in the program: validators are compiled by the build"); }
export { refuse as _, refuse as Ajv2020, refuse as default };`,
  ),
  // The agent asks of an event where it is kept, who may read it, and who hears of it.
  instead(eventTable, () => eventRows(["log", "audience", "heard"])),
  // An operation is asked for its route, its rights and its events, not for its schemas.
  instead(operationTable, operationRows),
  plainSchemas,
  // A part is given a `require`, which serves for absolute paths as well: node:module would load its own loaders.
  insteadOf(/^node:module$/, "given-require", () => "export const createRequire = () => require;"),
];

/** As `import.meta.dirname` and `filename` are called in CommonJS. */
const places = { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" };

/** ASCII: V8 keeps the source as long as the program runs, and other characters would make it take twice as much. */
const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  minify: true,
  charset: "ascii",
  legalComments: "none",
  external: [...nativePackages],
  plugins: [fewMediaTypes, slimPackages, compiledValidators, ...replacements],
  logLevel: "warning",
} satisfies BuildOptions;

/**
 * Writes the programs into `dist`; gives back the files that they are made of. `constants`: what the sources leave to the
 * build to say.
 */
export async function buildPrograms(
  dist: string,
  constants: Readonly<Record<string, string>>,
): Promise<Set<string>> {
  const inputs = new Set<string>();
  const plugins = [...common.plugins, notesInputs(inputs)];
  const options = { ...common, plugins, define: { ...places, ...constants } };
  mkdirSync(join(dist, "parts/validators"), { recursive: true });
  const parts = new Map<string, string>();
  for (const [name, path] of Object.entries(programs))
    parts.set(source(path), await buildParts(dist, options, name, source(path)));
  for (const [name, path] of Object.entries(started)) {
    const file = join(dist, `${name}.js`);
    const banner = { js: "#!/usr/bin/env node" };
    const inPlace = { plugins: [...plugins, partsInTheirPlace(parts)], banner };
    await build({ ...options, ...inPlace, format: "cjs", entryPoints: [source(path)], outfile: file });
    chmodSync(file, 0o755);
  }
  await build({ ...options, entryPoints: alone, format: "cjs", outdir: dist });
  for (const { file, source: text } of validatorFiles)
    await writeValidators(join(dist, "parts", file), text, inputs);
  return inputs;
}

/** Builds a program's parts; gives back the name of the one that it begins with. */
async function buildParts(dist: string, options: BuildOptions, name: string, path: string): Promise<string> {
  const built = await build({
    ...options,
    ...{ entryPoints: { [name]: path }, entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]" },
    ...{ format: "esm", splitting: true, write: false, metafile: true, outdir: join(dist, "parts") },
    // Each part is minified when it is written: until then the names say which packages it loads.
    minify: false,
  });
  const texts = new Map(built.outputFiles?.map(({ path: file, text }) => [basename(file), text]));
  const first = [...texts.keys()].find((file) => file.startsWith(`${name}-`)) ?? "";
  const together = loadedWith(first, built.metafile?.outputs ?? {});
  const members: string[] = [];
  for (const [file, text] of texts) {
    const part = await partOf(`${file === first ? noResponse : ""}${text}`);
    if (together.has(file)) members.push(`${JSON.stringify(file)}:${part}`);
    else writeFileSync(join(dist, "parts", file), part);
  }
  writeFileSync(join(dist, "parts", first), `({${members.join(",")}})`);
  return first;
}

/**
 * The names of a part and of all that it imports itself, which are loaded with it. In one file, each of them saves the
 * reading of two files and a tenth of a millisecond at each start.
 */
function loadedWith(first: string, outputs: Metafile["outputs"]): ReadonlySet<string> {
  const imports = new Map(Object.entries(outputs).map(([file, output]) => [basename(file), output.imports]));
  const found = new Set([first]);
  for (const name of found)
    for (const { path, kind } of imports.get(name) ?? [])
      if (kind === "import-statement" && imports.has(basename(path))) found.add(basename(path));
  return found;
}

/**
 * esbuild splits only ES modules, which on Node 24 cost 13 MiB more by their imports of Node's own: so CommonJS. There
 * a default or a whole import of one of Node's modules is the module itself; esbuild would copy it, getter by getter.
 */
async function partOf(text: string): Promise<string> {
  const whole = text.replace(
    /\bimport ?(?:\* ?as )?([\w$]+) ?from ?("(?:node:)?[a-z_/0-9]+");/g,
    "const $1=require($2);",
  );
  const { code: commonJs } = await transform(exportedAtOnce(whole), {
    ...{ format: "cjs", platform: "node", target: "node20" },
    supported: { "dynamic-import": false },
  });
  const { code } = await transform(whenFirstUsed(commonJs), {
    ...{ format: "cjs", minify: true, platform: "node", target: "node20", charset: "ascii" },
  });
  // All but regular expressions, which esbuild leaves as they are, is ASCII by now.
  const ascii = code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `(function(exports,require,module,__filename,__dirname){${ascii}})`;
}

async function writeValidators(file: string, contents: string, inputs: Set<string>): Promise<void> {
  const built = await build({
    ...{ stdin: { contents, resolveDir: import.meta.dirname, loader: "js" }, write: false },
    ...{ bundle: true, platform: "node", target: "node20", format: "esm", minify: true, charset: "ascii" },
    plugins: [notesInputs(inputs)],
  });
  writeFileSync(file, await partOf(built.outputFiles[0]?.text ?? ""));
}

/** An entry file loads its parts by the loader. */
function partsInTheirPlace(parts: ReadonlyMap<string, string>): Plugin {
  return {
    name: "parts-in-their-place",
    setup: (esbuild) => {
      esbuild.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const part = parts.get(path);
        if (part === undefined) return undefined;
        const contents = `import { createPartLoader } from "./part-loader.ts";
createPartLoader(__dirname, require)(${JSON.stringify(part)});`;
        return { contents, loader: "js", resolveDir: import.meta.dirname };
      });
    },
  };
}
