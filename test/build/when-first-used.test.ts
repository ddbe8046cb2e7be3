import assert from "node:assert/strict";
import { describe, it } from "node:test";
import vm from "node:vm";
import { build, transform } from "esbuild";
import { whenFirstUsed } from "../../scripts/build/when-first-used.ts";

/** The sources as a part of the program: in one file, whose loads of Node's modules and whose packages' runs are noted. */
async function runPart(contents: string) {
  const packages = { "first-package": "noted('first'); module.exports = (word) => 'first ' + word;" };
  const { outputFiles } = await build({
    ...{ stdin: { contents, loader: "js" }, bundle: true, platform: "node", format: "esm", write: false },
    plugins: [
      {
        name: "packages",
        setup: (esbuild) => {
          esbuild.onResolve({ filter: /-package$/ }, ({ path }) => ({ path, namespace: "packages" }));
          esbuild.onLoad({ filter: /.*/, namespace: "packages" }, ({ path }) => ({
            contents: packages[path as keyof typeof packages],
            loader: "js",
          }));
        },
      },
    ],
  });
  const { code } = await transform(outputFiles[0]?.text ?? "", { format: "cjs", platform: "node" });
  const loaded: string[] = [];
  const module: { exports: Record<string, (word: string) => unknown> } = { exports: {} };
  const run = vm.runInThisContext(`(module, require, noted) => {${whenFirstUsed(code)}}`) as (
    ...words: unknown[]
  ) => void;
  const require = (name: string) => {
    loaded.push(name);
    return process.getBuiltinModule(name);
  };
  run(module, require, (name: string) => loaded.push(name));
  return { exports: module.exports, loaded };
}

describe("a part of the built program", () => {
  it("loads a module of Node's when it first uses one of its members, and once", async () => {
    const { exports, loaded } = await runPart(
      `import { basename } from "node:path"; import { extname } from "path";
export const name = (path) => basename(path); export const end = (path) => extname(path);`,
    );
    assert.deepEqual(loaded, []);
    assert.equal(exports.name?.("/a/b.txt"), "b.txt");
    assert.equal(exports.end?.("/a/b.txt"), ".txt");
    assert.deepEqual(loaded, ["node:path"]);
  });

  it("runs a package when it first uses it, and once", async () => {
    const { exports, loaded } = await runPart(
      `import first from "first-package"; export const call = (word) => first(word);`,
    );
    assert.deepEqual(loaded, []);
    assert.equal(exports.call?.("a"), "first a");
    assert.equal(exports.call?.("b"), "first b");
    assert.deepEqual(loaded, ["first"]);
  });
});
