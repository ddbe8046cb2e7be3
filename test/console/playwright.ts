/**
 * playwright-core, by V8's code cache: its 7 MB of script take each of the many files that open a browser half a second
 * of processor time to parse. The first file of a checkout to end leaves the cache for all that come.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { constants, Script } from "node:vm";
import type { BrowserType } from "playwright-core";

interface Compiling {
  _compile(this: NodeModule, text: string, path: string): unknown;
}

const require = createRequire(import.meta.url);
const index = require.resolve("playwright-core");
const { version } = require("playwright-core/package.json") as { version: string };

/** Of this package and this V8: another one refuses it, which costs the parsing and nothing else. */
const caches = join(
  import.meta.dirname,
  "../../.cache",
  `playwright-${version}-${process.versions.v8}-${process.arch}`,
);

/** The files that are worth it. */
const isLarge = (path: string): boolean => path.startsWith(dirname(index)) && /Bundle\.js$/.test(path);

const { chromium, firefox } = load();

export { chromium, firefox };

function load(): { chromium: BrowserType; firefox: BrowserType } {
  const prototype = Module.prototype as unknown as Compiling;
  const { _compile } = prototype;
  prototype._compile = function (text, path) {
    return isLarge(path) ? run(this, text, path) : _compile.call(this, text, path);
  };
  try {
    return require(index);
  } finally {
    prototype._compile = _compile;
  }
}

/** As Node compiles and runs a module; what the cache holds is compiled already. */
function run(module: NodeModule, text: string, filename: string): void {
  const cache = join(caches, `${basename(filename)}.cache`);
  const cachedData = readIfThere(cache);
  const script = new Script(Module.wrap(text), {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected) process.once("exit", () => keep(script, cache));
  const body = script.runInThisContext() as (...given: unknown[]) => void;
  body.call(module.exports, module.exports, createRequire(filename), module, filename, dirname(filename));
}

/** With all functions that were needed. Several files may end at the same moment: each puts a whole one in place. */
function keep(script: Script, cache: string): void {
  mkdirSync(caches, { recursive: true });
  const part = `${cache}.${process.pid}`;
  writeFileSync(part, script.createCachedData());
  renameSync(part, cache);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
