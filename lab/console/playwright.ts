/** playwright-core, whose large files V8 has compiled before. */
import Module, { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { constants } from "node:vm";
import type { BrowserType } from "playwright-core";
import { compiled } from "./compiled.ts";

interface Compiling {
  _compile(this: NodeModule, text: string, path: string): unknown;
}

const require = createRequire(import.meta.url);
const index = require.resolve("playwright-core");
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
  const script = compiled(Module.wrap(text), basename(filename), {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const body = script.runInThisContext() as (...given: unknown[]) => void;
  body.call(module.exports, module.exports, createRequire(filename), module, filename, dirname(filename));
}
