import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type Plugin } from "vite";
import { type Part, textsOfParts } from "../src/console/catalogue/texts-of-parts.ts";
import { operationIds, operationOf } from "../src/contract/operations.ts";
import { eventRows, eventTable } from "./build/event-rows.ts";

/** Within the source, what belongs to one part (`partFiles`); everything else is loaded with the first page. */
const ofSomePages =
  /^(catalogue\/languages\/[^/]+\/copied\/|setup|print\/(device-sheet|way-in)|palette|ui\/form\/(zones?|duration|file|transfer)|client\/(upload|download)|users|account|problems|updates|product|system|plot|lists|styles\/parts)\b|\/node_modules\/uqr\//;

/** Files of the contract that belong to the part or the file of texts that imports them. */
const ofSomeFiles =
  /\/contract\/((error-codes|event-records|scopes)\.ts|text\/|notifications\/|clock\/source-intervals\.ts|updates\/(recall|update-holds)\.ts|words\/(?!needs))/;

/** Within the source; a file here is a file of the console as well, of which a person loads one language's. */
const languages = /^catalogue\/languages\/(.+)\.ts$/;

/**
 * Bytes, gzipped, each in the longest language. `signedOut`: all JavaScript of the page for signing in; `home`: of Home;
 * `page`: of the largest page of any part when it is the first one opened. `css`: the style of the first view.
 */
export const budgets = { signedOut: 45 * 1024, home: 45 * 1024, page: 60 * 1024, css: 8 * 1024 } as const;

export type Sizes = Record<keyof typeof budgets, number>;

/**
 * Builds the console, or another copy of src/console, into a directory, each file also compressed; gives back the files that
 * it is made of. Throws where it has grown over the limits.
 */
export async function buildConsole(
  directory: string,
  { limits = budgets as Readonly<Sizes>, source = join(import.meta.dirname, "../src/console") } = {},
): Promise<string[]> {
  const built = await build({
    ...common,
    root: source,
    base: "/",
    plugins: [withoutPreloading, wordsForEachFile, eventsInShort, stylesOfParts],
    // Instead of the operations themselves, whose schemas are larger than the whole console.
    define: { CONTRACT_ROUTES: JSON.stringify(contractRoutes(source)) },
    oxc: {
      // Smaller than the calls of the automatic runtime.
      jsx: { runtime: "classic", pragma: "jsx", pragmaFrag: "JsxFragment" },
      jsxInject: `import { h as jsx, Fragment as JsxFragment } from "preact";`,
    },
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: { output: filesOfConsole(source) },
    },
  });
  await completePage(directory, source);
  // First: a console that is refused need not be compressed.
  checkSizes(directory, limits);
  for (const path of filesOf(directory)) compress(path);
  // They are compressed already, and asked for by names that do not change.
  cpSync(join(source, "icons"), directory, { recursive: true });
  return outputsOf(built).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

const common = { configFile: false, logLevel: "warn", publicDir: false } as const;

function outputsOf(built: Awaited<ReturnType<typeof build>>) {
  return [built].flat().flatMap((one) => ("output" in one ? one.output : []));
}

/** Parts are loaded together with their texts already, and their style is in them: Vite need not see to it. */
const withoutPreloading = {
  name: "without-preloading",
  enforce: "pre" as const,
  load: (id: string) =>
    id.includes("vite/preload-helper") ? "export const __vitePreload = (load) => load();" : null,
};

/**
 * Each file of texts has a copy of the contract's words of its own, in which only those are left that it uses: titles of
 * errors are loaded with the first page, their causes only with a problem. The words that a copy imports belong to it. The
 * words in a folder `copied` are copied as well: a file of their own would be one more for each page that has them.
 */
const wordsForEachFile: Plugin = {
  name: "words-for-each-file",
  enforce: "pre",
  async resolveId(name, importer) {
    const [file, copyFor] = importer?.split("?for=") ?? [];
    if (file === undefined || (copyFor === undefined && !ofWords.test(name))) return null;
    const found = await this.resolve(name, file, { skipSelf: true });
    if (found === null || !ofWords.test(found.id)) return found;
    return `${found.id}?for=${copyFor ?? textsWith(file)}`;
  },
};

/** The console asks of an event what it makes stale. */
const eventsInShort: Plugin = {
  name: "events-in-short",
  enforce: "pre",
  load: (id) => (eventTable.test(id) ? eventRows(["stale"]) : null),
};

/** The style of a part comes within the part's script, to save a file: importing it adopts it behind that of every page. */
const stylesOfParts: Plugin = {
  name: "styles-of-parts",
  enforce: "pre",
  resolveId: (name, importer) =>
    importer !== undefined && /\/styles\/parts\/.+\.css$/.test(name)
      ? `${join(dirname(importer), name)}.adopted`
      : null,
  load: (id) =>
    id.endsWith(".css.adopted")
      ? `import { adopt } from "/ui/theme.ts";
import style from "${id.replace(/\.adopted$/, "?inline")}";
adopt(style);`
      : null,
};

const ofWords = /\/contract\/words\/|\/copied\/[\w-]+\.ts/;

/** The file of texts that this file is a part of, or is itself. */
function textsWith(file: string): string {
  return file.replace(/(\/languages\/[^/]+\/[^/]+)\/[^/]+\.ts$/, "$1.ts");
}

/** Puts into the page itself what it would have to wait for: its style, its icon, and the script of its opening. */
async function completePage(directory: string, source: string): Promise<void> {
  const path = join(directory, "index.html");
  let page = readFileSync(path, "utf8");
  const put = (pattern: RegExp, replacement: (file: string) => string): void => {
    const [tag, name] = pattern.exec(page) ?? [];
    if (tag === undefined || name === undefined) throw new Error(`the page has nothing like ${pattern}`);
    const file = join(directory, name);
    page = page.replace(tag, () => replacement(readFileSync(file, "utf8").trim()));
    rmSync(file);
  };
  put(/<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/, (style) => `<style>${style}</style>`);
  put(
    /(?<=<link rel="icon" href=")([^"]+)/,
    (icon) => `data:image/svg+xml,${encodeURIComponent(icon).replaceAll("'", "%27")}`,
  );
  const opening = await openingScript(source, firstTexts(directory));
  writeFileSync(
    path,
    page.replace("</title>", () => `</title>\n<script>${opening}</script>`),
  );
}

/** The address of the first file of texts of each language. */
function firstTexts(directory: string): Readonly<Record<string, string>> {
  const found = readdirSync(join(directory, "assets")).flatMap((name) => {
    const [, language] = /^words\.([^.]+?)(?:\.base)?-[^.]+\.js$/.exec(name) ?? [];
    return language === undefined ? [] : [[language, `/assets/${name}`]];
  });
  return Object.fromEntries(found);
}

async function openingScript(source: string, texts: Readonly<Record<string, string>>): Promise<string> {
  const built = await build({
    ...common,
    root: source,
    define: { FIRST_TEXTS: JSON.stringify(texts), REFRESH_PATH: JSON.stringify(operationOf("refresh").path) },
    build: {
      write: false,
      target: "es2022",
      minify: true,
      lib: { entry: join(source, "opening.ts"), formats: ["iife"], name: "opening" },
    },
  });
  const [file] = outputsOf(built);
  if (file?.type !== "chunk") throw new Error("the opening is no script");
  return file.code.trim();
}

/** The style that the page contains. */
export function styleIn(directory: string): string {
  const page = readFileSync(join(directory, "index.html"), "utf8");
  return /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
}

/**
 * The console knows this of each operation that it calls: its path, its method unless it is GET, and 1 where the
 * session's cookie authenticates the request. Its sources name those operations in quotes; the type of `call` lets
 * nothing else be called.
 */
function contractRoutes(source: string): object {
  const files = filesOf(source).filter((path) => /\.tsx?$/.test(path));
  const text = files.map((path) => readFileSync(path, "utf8")).join("\n");
  const called = operationIds.filter((id) => text.includes(`"${id}"`));
  const routes = called.map((id) => {
    const { method, path: whole, cookie } = operationOf(id);
    const path = whole.replace(/^\/api/, "");
    return [id, cookie ? [path, method, 1] : method === "GET" ? [path] : [path, method]];
  });
  return Object.fromEntries(routes);
}

/** One file for the beginning, one for each part, and one for each file of a language. */
function filesOfConsole(source: string) {
  const within = (id: string): string => relative(source, id);
  const group = (name: string, form: RegExp) => ({ name, test: (id: string) => form.test(within(id)) });
  const parts = partFiles(source);
  return {
    chunkFileNames: ({ facadeModuleId }: { facadeModuleId: string | null }) => {
      const file = within(facadeModuleId ?? "");
      const [, words] = languages.exec(file) ?? [];
      const name = words === undefined ? (parts.get(file) ?? "[name]") : `words.${words.replace("/", ".")}`;
      return `assets/${name}-[hash].js`;
    },
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        {
          name: "index",
          test: (id: string) =>
            ![ofSomePages, languages].some((one) => one.test(within(id))) && !ofSomeFiles.test(id),
        },
        // Three parts have lists; by what each uses of them they would load several small files. So would the list of
        // users, by what it shares with the sheet for adding some.
        group("lists", /^((styles\/parts\/)?lists|users\/(user-fields|one-by-one|use-users))\b/),
        // Home draws a line of the history's, and would load each of its pieces as a file.
        group("plot", /^((styles\/parts\/)?plot\b|\.\.\/contract\/clock\/source-intervals)/),
        // The first run has forms of two other parts, and the restoring of a backup the field for the setup token.
        group(
          "forms",
          /^(ui\/form\/zones?|styles\/parts\/account|account\/(webauthn|enrolment-form|recovery-codes-form|steps-in-order)|setup\/token-field|system\/device\/octets)\b/,
        ),
      ],
    },
  };
}

/** The names of the parts, by the file that main.tsx loads each from. */
function partFiles(source: string): ReadonlyMap<string, string> {
  const main = readFileSync(join(source, "main.tsx"), "utf8");
  const rows = main.matchAll(/(\w+): \(\) => import\("\.\/([^"]+)"\)/g);
  return new Map([...rows].map(([, part = "", file = ""]) => [file, part]));
}

/** Bytes, gzipped, as `budgets` counts them, of a console that was built. */
export function consoleSizes(directory: string): Sizes {
  const { first, parts } = scriptSizes(directory);
  return {
    signedOut: first,
    home: first,
    page: Math.max(...Object.values(parts)),
    css: gzipSync(styleIn(directory), { level: 9 }).length,
  };
}

/** Bytes, gzipped, of the scripts of the first view, and with those of each part, in the longest language. */
export function scriptSizes(directory: string) {
  const files = filesOf(directory).map((path) => ({ path, name: basename(path).split("-")[0] ?? "" }));
  const scripts = files.filter(({ path }) => extname(path) === ".js");
  const scriptsOf = (...names: string[]): string[] =>
    scripts.filter(({ name }) => names.includes(name)).flatMap(({ path }) => [...withImports(path)]);
  const gzipped = (path: string): number => gzipSync(readFileSync(path), { level: 9 }).length;
  const bytesOf = new Map(scripts.map(({ path }) => [path, gzipped(path)]));
  /** Each file is counted once. */
  const sizeOf = (paths: readonly string[]): number =>
    [...new Set(paths)].reduce((sum, path) => sum + (bytesOf.get(path) ?? 0), 0);
  const spoken = new Set(scripts.flatMap(({ name }) => /^words\.([^.]+)/.exec(name)?.[1] ?? []));
  const views = [...spoken].map((language) => {
    // A language that is one file is loaded whole with the first page.
    const textsOf = (text: string): string[] => scriptsOf(`words.${language}`, `words.${language}.${text}`);
    const first = [...scriptsOf("index"), ...textsOf("base")];
    const sizeWith = (part: Part): number =>
      sizeOf([...first, ...scriptsOf(part), ...textsOfParts[part].flatMap(textsOf)]);
    return { first: sizeOf(first), sizeWith };
  });
  const parts = Object.keys(textsOfParts) as Part[];
  const sizes = parts.map((part) => [part, Math.max(...views.map(({ sizeWith }) => sizeWith(part)))]);
  return {
    first: Math.max(...views.map((view) => view.first)),
    // One for each name.
    parts: Object.fromEntries(sizes) as Record<Part, number>,
  };
}

/** A script, and those without which it does not run. */
function withImports(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g))
    withImports(join(dirname(path), name), found);
  return found;
}

/** Throws where a console is larger than the limits. */
export function checkSizes(directory: string, limits: Readonly<Sizes> = budgets): void {
  const sizes = consoleSizes(directory);
  for (const of of Object.keys(budgets) as (keyof Sizes)[]) {
    if (sizes[of] > limits[of])
      throw new Error(`the console's ${of} has grown to ${sizes[of]} bytes gzipped, over ${limits[of]}`);
  }
}

/** Puts its two compressed forms beside a file. */
export function compress(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  const parameters = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: parameters }));
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(gz|br)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}
