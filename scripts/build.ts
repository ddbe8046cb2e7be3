/** Builds dist-publisher/, and dist/: the programs of the device, the clock's addon, the root helper, the reader of logs, the list of common passwords, the console, the documents, what shells and man(1) have. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeApiDocument } from "./build/api-document.ts";
import { billOfMaterials, bundledPackages, npmComponent } from "./build/bill-of-materials.ts";
import { makeCodeCaches } from "./build/code-cache.ts";
import { writeDocuments } from "./build/documents/documents.ts";
import { buildPrograms } from "./build/programs.ts";
import { buildPublisher } from "./build/publisher.ts";
import { buildAddon, buildHelper, buildLogReader } from "./build-addon.ts";
import { buildConsole } from "./build-console.ts";
import { writeShellFiles } from "./build-shell-files.ts";
import { stampOf } from "./stamp.ts";

const root = join(import.meta.dirname, "..");

/**
 * Another place and another version: for a release of the program that is made to be tried. A compiler for a kind of
 * machine, with its native modules: for a package, whose code caches are made where it is installed.
 */
const { values: wanted } = parseArgs({
  options: {
    into: { type: "string" },
    version: { type: "string" },
    compiler: { type: "string" },
    "node-modules": { type: "string", default: join(root, "node_modules") },
  },
});
const finished = wanted.into === undefined ? join(root, "dist") : resolve(wanted.into);

/** Built aside and put in place at the end, so that a build that fails leaves the last good one. */
const dist = wanted.into === undefined ? join(root, ".cache/dist") : `${finished}.part`;

const ofCheckout = stampOf(root, wanted.version === undefined ? console.warn : () => undefined);
const stamp = { ...ofCheckout, version: wanted.version ?? ofCheckout.version };

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const hasClockAddon = buildAddon(join(dist, "clock-steering.node"), wanted.compiler);
buildHelper(join(dist, "steward-helper"), {}, wanted.compiler);
buildLogReader(join(dist, "steward-logs"), wanted.compiler);
const inputs = await buildPrograms(dist, {
  // As text: of an object esbuild makes a module of its own, which each other module would run.
  STEWARD_BUILD: JSON.stringify(JSON.stringify(stamp)),
  STEWARD_HAS_CLOCK_ADDON: String(hasClockAddon),
});
writeApiDocument(join(dist, "openapi.json"), stamp.version);
writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
// For the launcher, which starts the newer of two copies.
writeFileSync(join(dist, "version"), `${stamp.version}\n`);
// For the doctor.
copyFileSync(join(root, "scripts/build/accounts.sh"), join(dist, "accounts.sh"));
writeShellFiles(dist, stamp);
for (const path of await buildConsole(join(dist, "console"))) inputs.add(path);
writeDocuments(join(dist, "console"));
const packages = bundledPackages(inputs, wanted["node-modules"]);
writeFileSync(
  join(dist, "sbom.cdx.json"),
  billOfMaterials({ name: "steward", ...stamp }, packages.map(npmComponent)),
);
writeFileSync(join(dist, "common-passwords.txt"), commonPasswords().join("\n"));
if (wanted.compiler === undefined) await makeCodeCaches(dist, process.execPath);
if (wanted.into === undefined) await buildPublisher(join(root, "dist-publisher"), stamp);
rmSync(finished, { recursive: true, force: true });
renameSync(dist, finished);

function commonPasswords(): string[] {
  // Phrases that everyone has read, without blanks.
  const knownPhrases = [
    ...["correcthorsebatterystaple", "thequickbrownfox", "thequickbrownfoxjumpsoverthelazydog"],
    ...["loremipsumdolorsitamet", "tobeornottobethatisthequestion"],
  ];
  const index = createRequire(import.meta.url).resolve("@zxcvbn-ts/language-common");
  const list: unknown = JSON.parse(readFileSync(join(index, "../../src/passwords.json"), "utf8"));
  if (!Array.isArray(list) || list.length < 40_000)
    throw new Error("the list of common passwords is not what it was");
  // The program searches it by halves.
  return [...new Set([...list, ...knownPhrases].map((word) => String(word).toLowerCase()))].sort();
}
