/** The console's own script, as the build made it, to be run in a document without a browser. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "node:vm";
import { build } from "esbuild";
import { compiled, keptText } from "../compiled.ts";
import { readStyle } from "./style.ts";

const root = join(import.meta.dirname, "../../..");
const built = join(root, "dist/console");

/** The page as the agent gives it out. */
const page = readFileSync(join(built, "index.html"), "utf8");

/** The page without its scripts. Its inline script, `opening`, runs before the console's. */
export const markup = page.replace(/<script[\s\S]*?<\/script>/g, "");
const [, opening = ""] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? [];
const [, entry = ""] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];

for (const [, style = ""] of markup.matchAll(/<style>([\s\S]*?)<\/style>/g)) readStyle(style);

/** Runs both scripts in the scope of a page; gives back how to evaluate a text there. */
export type Run = () => (text: string) => unknown;

let own: { readonly names: readonly string[]; readonly script: Script } | null = null;

/** Compiles the script as a function of these globals; all pages of a process share what V8 has compiled of it. */
export async function scriptFor(globals: Readonly<Record<string, unknown>>): Promise<Run> {
  own ??= await compile(Object.keys(globals));
  const { names, script } = own;
  const inScope = script.runInThisContext() as (...given: unknown[]) => (text: string) => unknown;
  return () => inScope(...names.map((name) => globals[name]));
}

async function compile(names: readonly string[]) {
  const text = `(function (${names.join(",")}) {${opening};\n${await bundled()}\nreturn (text) => eval(text);})`;
  return { names, script: compiled(text, "console", { filename: "console.js" }) };
}

/** All of its files in one. */
function bundled(): Promise<string> {
  const hash = createHash("sha256").update(page).digest("hex").slice(0, 16);
  return keptText(`console-${hash}.js`, async () => {
    const { outputFiles } = await build({
      ...{ entryPoints: [join(built, entry)], absWorkingDir: root, bundle: true, write: false },
      ...{ format: "iife", target: "es2022", logLevel: "warning" },
    });
    return outputFiles[0]?.text ?? "";
  });
}
