/** happy-dom, all of its many files in one script that V8 has compiled before. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import type * as HappyDom from "happy-dom";
import { compiled, keptText } from "../compiled.ts";

const root = join(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);
const { version } = require("happy-dom/package.json") as { version: string };

export const { Window, PropertySymbol } = await load();

async function load(): Promise<typeof HappyDom> {
  const name = `happy-dom-${version}.js`;
  const text = await keptText(name, bundle);
  const body = compiled(`(function (exports, module, require) {${text}\n})`, "happy-dom", {
    filename: name,
  }).runInThisContext() as (...given: unknown[]) => void;
  const module = { exports: {} };
  body(module.exports, module, require);
  return module.exports as typeof HappyDom;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: ["happy-dom"], absWorkingDir: root, bundle: true, write: false },
    ...{ format: "cjs", platform: "node", target: "node20", logLevel: "warning" },
  });
  return outputFiles[0]?.text ?? "";
}
