import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import vm, { type Script } from "node:vm";
import { build, type Plugin, transform } from "esbuild";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { exportedAtOnce } from "../../scripts/build/exported-at-once.ts";
import { codeCachePath, createPartLoader } from "../../scripts/build/part-loader.ts";
import { whenFirstUsed } from "../../scripts/build/when-first-used.ts";

const wrapped = (body: string): string => `(function(exports,require,module,__filename,__dirname){${body}})`;

/** Runs what became of a module's text; gives what it exports. */
function run(text: string, ...given: unknown[]): Record<string, unknown> {
  const module = { exports: {} };
  vm.runInThisContext(`(module, require, noted) => {${text}}`)(module, ...given);
  return module.exports;
}

describe("what a part exports", () => {
  it("is one object, by the names that others use, and may be nothing", () => {
    const text = "var one = 1;\nfunction two() { return 2; }\nexport {\n  one,\n  two as deux\n};\n";
    const { one, deux } = run(exportedAtOnce(text)) as { one: number; deux: () => number };
    assert.deepEqual([one, deux()], [1, 2]);
    assert.deepEqual(run(exportedAtOnce("var one = 1;\n")), {});
  });

  it("is no variable that is assigned again", () => {
    const withLine = (line: string) =>
      exportedAtOnce(`var count = 1;\nfunction next(other) { ${line}; }\nexport {\n  count,\n  next\n};\n`);
    for (const again of ["count = 2", "count += 1", "count ??= 2"])
      assert.throws(() => withLine(again), /count is exported, and assigned again/);
    withLine("return other.count === count");
  });
});

it("a part of the built program loads a module of Node's and runs a package when it first uses them, and once", async () => {
  const contents = `import { basename } from "node:path"; import { extname } from "path"; import first from "first-package";
export const all = (path) => [basename(path), extname(path), first("a"), first("b")];`;
  const packages: Plugin = {
    name: "packages",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /-package$/ }, ({ path }) => ({ path, namespace: "packages" }));
      onLoad({ filter: /.*/, namespace: "packages" }, () => ({
        contents: "noted('first'); module.exports = (word) => 'first ' + word;",
      }));
    },
  };
  // In one file, whose loads of Node's modules and whose packages' runs are noted.
  const { outputFiles } = await build({
    ...{ stdin: { contents, loader: "js" }, bundle: true, platform: "node", format: "esm", write: false },
    plugins: [packages],
  });
  const { code } = await transform(outputFiles[0]?.text ?? "", { format: "cjs", platform: "node" });
  const loaded: string[] = [];
  const note = (name: string) => {
    loaded.push(name);
    return process.getBuiltinModule(name);
  };
  const { all } = run(whenFirstUsed(code), note, note) as { all: (path: string) => unknown };
  assert.deepEqual(loaded, []);
  assert.deepEqual(all("/a/b.txt"), ["b.txt", ".txt", "first a", "first b"]);
  assert.deepEqual(loaded, ["node:path", "first"]);
});

/** A program's directory with these parts. */
function homeWith(test: TestContext, parts: Readonly<Record<string, string>>): string {
  const home = temporaryDirectory(test);
  mkdirSync(join(home, "parts"));
  for (const [name, text] of Object.entries(parts)) writeFileSync(join(home, "parts", name), text);
  return home;
}

describe("the loader of the program's parts", () => {
  const noOther = (name: string) => assert.fail(`asked for ${name}`);
  const load = (home: string) => {
    const scripts: Script[] = [];
    const exports = createPartLoader(home, noOther, (_, script) => scripts.push(script))("adding-1.js");
    return { exports: exports as { add: (a: number, b: number) => number }, script: scripts[0] as Script };
  };
  const adding = { "adding-1.js": wrapped("exports.add=(a,b)=>a+b;") };
  /** Made in another directory: of a file that it has compiled before, V8 keeps the code in memory and asks for no cache. */
  const cacheOf = (test: TestContext): Buffer => load(homeWith(test, adding)).script.createCachedData();

  it("loads a part once, for whichever part asks for it, and other modules by the program's own require", (test) => {
    const second = 'require("./second.js")';
    const home = homeWith(test, {
      "first.js": wrapped(`exports.all=[${second},${second},require("x")];`),
      "second.js": wrapped("exports.place=[__dirname,__filename];"),
    });
    const { all } = createPartLoader(home, (name) => `${name}!`)("first.js") as { all: unknown[] };
    const place = [home, join(home, "parts/second.js")];
    assert.deepEqual(all, [{ place }, { place }, "x!"]);
    assert.equal(all[0], all[1]);
  });

  it("finds a part that is in the file of another, and loads it once as well", (test) => {
    const first = wrapped('exports.shared=require("./shared.js");exports.late=()=>require("./late.js");');
    const shared = wrapped("exports.place=[__dirname,__filename];");
    const home = homeWith(test, {
      "first.js": `({"first.js":${first},"shared.js":${shared}})`,
      "late.js": wrapped('exports.shared=require("./shared.js");'),
    });
    const files: string[] = [];
    const found = createPartLoader(home, noOther, (name) => files.push(name))("first.js") as {
      shared: { place: string[] };
      late: () => { shared: unknown };
    };
    assert.deepEqual(found.shared.place, [home, join(home, "parts/shared.js")]);
    assert.equal(found.late().shared, found.shared);
    assert.deepEqual(files, ["first.js", "late.js"]);
  });

  it("takes no code cache that another Node has made, though its V8 has the same version", (test) => {
    const home = homeWith(test, adding);
    const written = Math.floor(statSync(process.execPath).mtimeMs / 1_000);
    const own = join(home, `parts/adding-1.${process.version}-${written}.cache`);
    assert.equal(codeCachePath(home, "adding-1.js"), own);
    for (const other of ["", ".v20.19.6-1", `.${process.version}-${written + 1}`])
      writeFileSync(join(home, `parts/adding-1${other}.cache`), cacheOf(test));
    assert.equal(load(home).script.cachedDataRejected, undefined);
  });

  for (const [name, isRejected, spoil] of [
    ["of this V8", false, (cache) => cache],
    // The header is a magic number, then the hash of V8's version.
    ["of another V8", true, (cache) => cache.fill(cache.readUInt8(4) ^ 0xff, 4, 5)],
    ["of another source", true, (cache) => cache.fill(cache.readUInt8(8) ^ 0xff, 8, 9)],
    ["that is cut off", true, (cache) => cache.subarray(0, 100)],
    ["that is empty", true, (cache) => cache.subarray(0, 0)],
  ] as const satisfies [string, boolean, (cache: Buffer) => Buffer][])
    it(`${isRejected ? "compiles the part where the code cache is" : "takes the code cache,"} one ${name}`, (test) => {
      const home = homeWith(test, adding);
      writeFileSync(codeCachePath(home, "adding-1.js"), spoil(cacheOf(test)));
      const { exports, script } = load(home);
      assert.deepEqual([script.cachedDataRejected, exports.add(2, 3)], [isRejected, 5]);
    });
});

describe("the parts of the program that was built", () => {
  const directory = join(import.meta.dirname, "../../dist/parts");
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const parts = files
    .filter((name) => name.endsWith(".js"))
    .map((name) => ({ name, text: readFileSync(join(directory, name), "utf8") }));
  /** Caches are of the Node that has built them, which may be another one than that of this test. */
  const hasCodeCache = ({ name }: { name: string }): boolean =>
    files.some((file) => file.startsWith(name.replace(/js$/, "v")) && file.endsWith(".cache"));

  it("have code caches: those that a start of the agent and a command load", () => {
    for (const program of ["agent", "command-line", "installer"]) {
      const [part] = parts.filter(({ name }) => new RegExp(`^${program}-\\w+\\.js$`).test(name));
      assert.ok(part && hasCodeCache(part), program);
    }
  });

  for (const [why, words] of [
    ["conf migrates documents of former forms only", "projectVersion"],
    ["an agent at rest fetches nothing", "contains a password."],
    ["most agents are never scraped", "steward_build_info"],
  ] as const)
    it(`have no code cache where no start loads them: ${why}`, () => {
      const found = parts.filter(({ text }) => text.includes(words));
      assert.ok(found.length > 0, "the part was not found");
      assert.ok(!found.some(hasCodeCache));
    });

  it("are ASCII, for V8 would keep other text with two bytes for each character", () => {
    // A regular expression with such a letter is left as it was written: \\u and its number serves there.
    const others = parts.flatMap(({ text }) => text.match(/.{0,40}[^\0-\x7f].{0,20}/) ?? []);
    assert.deepEqual(others, []);
  });
});
