import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Script } from "node:vm";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { codeCachePath, createPartLoader } from "../../scripts/build/part-loader.ts";

const noOther = (name: string) => assert.fail(`asked for ${name}`);

/** A program's directory with these parts. */
function homeWith(test: TestContext, parts: Readonly<Record<string, string>>): string {
  const home = temporaryDirectory(test);
  mkdirSync(join(home, "parts"));
  for (const [name, body] of Object.entries(parts))
    writeFileSync(
      join(home, "parts", name),
      `(function(exports,require,module,__filename,__dirname){${body}})`,
    );
  return home;
}

/** Loads a part; true: V8 took the cache that lay beside it. */
function load(home: string, name: string): { exports: unknown; isCacheTaken: boolean; script: Script } {
  const scripts: Script[] = [];
  const exports = createPartLoader(home, noOther, (_, script) => scripts.push(script))(name);
  const [script] = scripts;
  assert.ok(script);
  return { exports, isCacheTaken: script.cachedDataRejected === false, script };
}

/** Made in another directory: of a file that it has compiled before, V8 keeps the code in memory and asks for no cache. */
function cacheOf(test: TestContext): Buffer {
  return load(homeWith(test, { "adding-1.js": adding }), "adding-1.js").script.createCachedData();
}

const adding = "exports.add=(a,b)=>a+b;";

describe("the loader of the program's parts", () => {
  it("loads a part once, for whichever part asks for it, and other modules by the program's own require", (test) => {
    const home = homeWith(test, {
      "first.js":
        'exports.one=require("./second.js");exports.two=require("./second.js");exports.other=require("x");',
      "second.js": "exports.place=[__dirname,__filename];",
    });
    const asked: string[] = [];
    const first = createPartLoader(home, (name) => {
      asked.push(name);
      return 7;
    })("first.js") as { one: { place: string[] }; two: unknown; other: number };
    assert.equal(first.one, first.two);
    assert.deepEqual(first.one.place, [home, join(home, "parts/second.js")]);
    assert.deepEqual([asked, first.other], [["x"], 7]);
  });

  it("finds a part that is in the file of another, and loads it once as well", (test) => {
    const home = homeWith(test, { "late.js": 'exports.shared=require("./shared.js");' });
    const part = (body: string) => `(function(exports,require,module,__filename,__dirname){${body}})`;
    const first = part('exports.shared=require("./shared.js");exports.late=()=>require("./late.js");');
    const shared = part("exports.place=[__dirname,__filename];");
    writeFileSync(join(home, "parts/first.js"), `({"first.js":${first},"shared.js":${shared}})`);
    const files: string[] = [];
    const load = createPartLoader(home, noOther, (name) => files.push(name));
    const found = load("first.js") as { shared: { place: string[] }; late: () => { shared: unknown } };
    assert.deepEqual(found.shared.place, [home, join(home, "parts/shared.js")]);
    assert.equal(found.late().shared, found.shared);
    assert.deepEqual(files, ["first.js", "late.js"]);
  });

  it("takes the code cache of this V8", (test) => {
    const home = homeWith(test, { "adding-1.js": adding });
    writeFileSync(codeCachePath(home, "adding-1.js"), cacheOf(test));
    assert.equal(load(home, "adding-1.js").isCacheTaken, true);
  });

  it("takes none that another Node has made, though its V8 has the same version", (test) => {
    const home = homeWith(test, { "adding-1.js": adding });
    const own = codeCachePath(home, "adding-1.js");
    const written = Math.floor(statSync(process.execPath).mtimeMs / 1_000);
    assert.equal(own, join(home, `parts/adding-1.${process.version}-${written}.cache`));
    for (const other of ["", ".v20.19.6-1", `.${process.version}-${written + 1}`])
      writeFileSync(join(home, `parts/adding-1${other}.cache`), cacheOf(test));
    assert.equal(load(home, "adding-1.js").script.cachedDataRejected, undefined);
  });

  const spoilt: [name: string, spoil: (cache: Buffer) => Buffer][] = [
    // The header is a magic number, then the hash of V8's version.
    ["of another V8", (cache) => cache.fill(cache.readUInt8(4) ^ 0xff, 4, 5)],
    ["of another source", (cache) => cache.fill(cache.readUInt8(8) ^ 0xff, 8, 9)],
    ["that is cut off", (cache) => cache.subarray(0, 100)],
    ["that is empty", (cache) => cache.subarray(0, 0)],
  ];
  for (const [name, spoil] of spoilt)
    it(`compiles the part where the code cache is one ${name}`, (test) => {
      const home = homeWith(test, { "adding-1.js": adding });
      writeFileSync(codeCachePath(home, "adding-1.js"), spoil(cacheOf(test)));
      const { exports, isCacheTaken } = load(home, "adding-1.js");
      assert.equal(isCacheTaken, false);
      assert.equal((exports as { add: (a: number, b: number) => number }).add(2, 3), 5);
    });
});

describe("the parts of the program that was built", () => {
  const dist = join(import.meta.dirname, "../../dist");
  const parts = readdirSync(join(dist, "parts"), { recursive: true, encoding: "utf8" });
  /** Caches are of the Node that has built them, which may be another one than that of this test. */
  const hasCodeCache = (name: string): boolean =>
    parts.some((part) => part.startsWith(name.replace(/js$/, "v")) && part.endsWith(".cache"));

  it("have code caches: those that a start of the agent and a command load", () => {
    for (const program of ["agent", "command-line", "installer"]) {
      const name = parts.find((part) => new RegExp(`^${program}-\\w+\\.js$`).test(part));
      assert.ok(name !== undefined && hasCodeCache(name), `${program}: ${name}`);
    }
  });

  const loadedLate: [why: string, text: string][] = [
    ["conf migrates documents of former forms only", "projectVersion"],
    ["an agent at rest fetches nothing", "contains a password."],
    ["most agents are never scraped", "steward_build_info"],
  ];
  for (const [why, text] of loadedLate)
    it(`have no code cache where no start loads them: ${why}`, () => {
      const found = parts.filter(
        (name) => name.endsWith(".js") && readFileSync(join(dist, "parts", name), "utf8").includes(text),
      );
      assert.ok(found.length > 0, "the part was not found");
      assert.deepEqual(found.filter(hasCodeCache), []);
    });

  it("are ASCII, for V8 would keep other text with two bytes for each character", () => {
    // A regular expression with such a letter is left as it was written: \\u and its number serves there.
    const others = parts
      .filter((name) => name.endsWith(".js"))
      .flatMap(
        (name) => readFileSync(join(dist, "parts", name), "utf8").match(/.{0,40}[^\0-\x7f].{0,20}/) ?? [],
      );
    assert.deepEqual(others, []);
  });
});
