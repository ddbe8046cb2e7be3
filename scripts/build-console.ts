import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type Plugin } from "vite";
import { eventTypes } from "../src/contract/event-types.ts";
import { operationIds, operationOf } from "../src/contract/operations.ts";
import { slimCatalogue } from "./slim-catalogue.ts";

const source = join(import.meta.dirname, "../src/console");

/**
 * Bytes, gzipped. `view`: the JavaScript of the largest page that may be the first one opened, in the longer language.
 * By kind of file: of all that the console may ever load.
 */
export const budgets = { view: 45 * 1024, ".js": 70 * 1024, ".css": 12 * 1024 } as const;

type Sizes = Record<keyof typeof budgets, number>;

/** Of an operation the page needs no schema, for the agent checks what it is sent; of types of events their names. */
const slimContract: Plugin = {
  name: "slim-contract",
  enforce: "pre",
  load: (id) => {
    if (id.endsWith("/contract/event-types.ts")) {
      const names = Object.keys(eventTypes).map((name) => [name, 0]);
      return `export const eventTypes = ${JSON.stringify(Object.fromEntries(names))};`;
    }
    if (!id.endsWith("/contract/operations.ts")) return null;
    const entries = operationIds.map((name) => {
      const { method, path, cookie } = operationOf(name);
      return [name, cookie ? [method, path, 1] : [method, path]];
    });
    return `export const operations = ${JSON.stringify(Object.fromEntries(entries))};`;
  },
};

/** There is one style sheet, and it is loaded with the page: what a part brings along need not be looked for. */
const slimImports: Plugin = {
  name: "slim-imports",
  enforce: "pre",
  load: (id) =>
    id.includes("vite/preload-helper") ? "export const __vitePreload = (load) => load();" : null,
};

/** JSX as calls of Preact's `h`, which say more with less than those of its JSX runtime. */
const classicJsx: Plugin = {
  name: "classic-jsx",
  enforce: "pre",
  transform: (code, id) => {
    if (!/\.tsx$/.test(id)) return null;
    return { code: `import { h as jsx, Fragment as JsxFragment } from "preact";\n${code}`, map: null };
  },
};

/** Within the source: what frame/pages.ts loads in parts, and the catalogues, of which a person reads one. */
const ofSomePages = /^\/(users|account|updates|system|frame\/pages|catalogue\/languages\/(en|de)\.ts)(\/|$)/;

function isOfEveryPage(id: string): boolean {
  return !(id.startsWith(source) && ofSomePages.test(id.slice(source.length)));
}

/** Builds the console into a directory, each file also compressed. Throws where it has grown over the limits. */
export async function buildConsole(directory: string, limits: Readonly<Sizes> = budgets): Promise<void> {
  await build({
    configFile: false,
    root: source,
    base: "/",
    logLevel: "warn",
    publicDir: false,
    plugins: [slimContract, slimImports, slimCatalogue(source), classicJsx],
    oxc: { jsx: { runtime: "classic", pragma: "jsx", pragmaFrag: "JsxFragment" } },
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: "index", test: isOfEveryPage }],
          },
        },
      },
    },
  });
  compress(directory);
  const sizes = consoleSizes(directory);
  for (const kind of ["view", ".js", ".css"] as const) {
    if (sizes[kind] > limits[kind])
      throw new Error(
        `the console's ${kind} has grown to ${sizes[kind]} bytes gzipped, over ${limits[kind]}`,
      );
  }
}

/** Bytes, gzipped, as `budgets` counts them. */
export function consoleSizes(directory: string): Sizes {
  const sizes = { ".js": 0, ".css": 0 };
  /** Of the scripts, by the names that the build gives them, without their hashes. */
  const scripts: Record<string, number> = {};
  for (const path of filesOf(directory)) {
    const kind = extname(path);
    if (kind !== ".js" && kind !== ".css") continue;
    const size = gzipSync(readFileSync(path), { level: 9 }).length;
    sizes[kind] += size;
    if (kind === ".js") scripts[basename(path).replace(/-.*/, "")] = size;
  }
  const { index = 0, en = 0, de = 0, ...parts } = scripts;
  return { ...sizes, view: index + Math.max(en, de) + Math.max(...Object.values(parts)) };
}

function compress(directory: string): void {
  for (const path of filesOf(directory)) {
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    const parameters = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: parameters }));
  }
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(gz|br)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}
