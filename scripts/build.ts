/** Builds dist/: the program, its lazily loaded parts, the facts worker, the clock's addon, the list of common passwords, the console. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import standaloneCode from "ajv/dist/standalone/index.js";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { operationIds, operationOf } from "../src/contract/operations.ts";
import { documentKinds } from "../src/programs/agent/documents.ts";
import { releaseJournalName, releaseJournalSchema } from "../src/releases/release-journal-schema.ts";
import { createCompiler } from "../src/store/validation/compile.ts";
import { tolerant } from "../src/store/validation/members.ts";
import { documentValidatorName, inputValidatorName } from "../src/store/validation/schemas.ts";
import { buildAddon } from "./build-addon.ts";
import { buildConsole } from "./build-console.ts";
import { writeShellFiles } from "./build-shell-files.ts";
import { fewMediaTypes, nativePackages, noTraces, requireBanner } from "./packages-in-bundles.ts";

const root = join(import.meta.dirname, "..");

/** Another place and another version: for a release of the program that is made to be tried. */
const { values: wanted } = parseArgs({ options: { into: { type: "string" }, version: { type: "string" } } });
const finished = wanted.into === undefined ? join(root, "dist") : resolve(wanted.into);

/** Built aside and put in place at the end, so that a build that fails leaves the last good one. */
const dist = wanted.into === undefined ? join(root, ".cache/dist") : `${finished}.part`;

/** The validators of every schema that the program uses, compiled now instead of at each start of a small device. */
const compiledValidators: Plugin = {
  name: "compiled-validators",
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /validation\/compiled-validators\.ts$/ }, () => ({
      contents: validatorsSource(),
      loader: "js",
      resolveDir: root,
    }));
  },
};

/**
 * The program never compiles a schema: its validators are compiled above, and conf is given none to check. So ajv itself,
 * a quarter of what is read at each start, stays out; whoever asked for it would be told.
 */
const noCompiler: Plugin = {
  name: "no-compiler",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^ajv(-formats|\/dist\/2020\.js)$/ }, ({ path }) => ({
      path,
      namespace: "no-compiler",
    }));
    esbuild.onLoad({ filter: /.*/, namespace: "no-compiler" }, ({ path }) => ({
      contents: `function refuse() { throw new Error("${path} is not in the program: validators are compiled by the build"); }
export { refuse as Ajv2020, refuse as default };`,
      loader: "js",
    }));
  },
};

/**
 * koa asks of each body whether it is a Response; the first look at that global makes Node load its fetch, 3 MiB and
 * 8 ms. The agent never fetches, so a class that nothing is an instance of serves as well.
 */
const noResponse = `Object.defineProperty(globalThis,"Response",{value:class Response{},configurable:true,writable:true});`;

/** src/programs/agent/main.ts is program.js in dist. */
const programBeside: Plugin = {
  name: "program-beside",
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /\/agent\/main\.ts$/ }, () => ({ path: "./program.js", external: true }));
  },
};

const banner = `#!/usr/bin/env node
${requireBanner}`;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
const common = {
  outdir: dist,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  legalComments: "none",
  define: { STEWARD_BUILD: JSON.stringify(stamp()) },
  external: [...nativePackages],
  plugins: [fewMediaTypes, noTraces, compiledValidators, noCompiler],
  logLevel: "warning",
} satisfies BuildOptions;
await build({
  ...common,
  entryPoints: {
    program: join(root, "src/programs/agent/main.ts"),
    "facts-worker": join(root, "src/system/facts-worker.ts"),
  },
  splitting: true,
  banner: { js: `${banner}${noResponse}` },
});
// What is started: small, as it loads the program only for what it cannot answer itself.
await build({
  ...common,
  entryPoints: { main: join(root, "src/programs/steward.ts") },
  plugins: [programBeside],
  banner: { js: "#!/usr/bin/env node" },
});
// Whole in itself: what it shares with the agent would be one more part for each start of the agent to read.
await build({
  ...common,
  entryPoints: { installer: join(root, "src/programs/installer/main.ts") },
  banner: { js: banner },
});
const hasClockAddon = buildAddon(join(dist, "clock-steering.node"));
// Whole in itself as well: a process of its own runs it, now and then.
await build({
  ...common,
  entryPoints: { "self-check": join(root, "src/programs/self-check.ts") },
  banner: { js: banner },
  define: { ...common.define, STEWARD_HAS_CLOCK_ADDON: String(hasClockAddon) },
});
for (const program of ["main.js", "installer.js"]) chmodSync(join(dist, program), 0o755);
// Without it Node would first read each part as CommonJS, and find out.
writeFileSync(join(dist, "package.json"), '{ "type": "module" }\n');
writeShellFiles(dist, stamp());
await buildConsole(join(dist, "console"));
writeFileSync(join(dist, "common-passwords.txt"), commonPasswords().join("\n"));
rmSync(finished, { recursive: true, force: true });
renameSync(dist, finished);

/** Version of package.json, if no other is wanted; commit and date of the checkout, so that one commit always builds the same program. */
function stamp(): { version: string; commit: string | null; date: string | null } {
  const file = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const version = wanted.version ?? file.version;
  try {
    const text = execFileSync("git", ["log", "-1", "--format=%H %ct"], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
    });
    const [commit = "", seconds = ""] = text.trim().split(" ");
    return { version, commit, date: new Date(Number(seconds) * 1_000).toISOString() };
  } catch {
    return { version, commit: null, date: null };
  }
}

function validatorsSource(): string {
  const compiler = createCompiler({ forSource: true });
  const names = new Map<string, string>();
  const identifiers = new Map<object, string>();
  // One function a schema, however many names it has: ajv would write a shared one out twice.
  const add = (name: string, schema: object): void => {
    const identifier = identifiers.get(schema) ?? `validator${identifiers.size}`;
    if (!identifiers.has(schema)) compiler.addSchema(schema, identifier);
    identifiers.set(schema, identifier);
    names.set(name, identifier);
  };
  for (const { name, schema } of documentKinds({})) add(documentValidatorName(name), tolerant(schema));
  add(documentValidatorName(releaseJournalName), tolerant(releaseJournalSchema));
  for (const id of operationIds) {
    const { body, query, pathParameters = {} } = operationOf(id);
    if (body) add(inputValidatorName(id, "body"), body);
    if (query) add(inputValidatorName(id, "query"), query);
    for (const [name, schema] of Object.entries(pathParameters))
      add(inputValidatorName(id, `path ${name}`), schema);
  }
  const exported = Object.fromEntries(
    [...identifiers.values()].map((identifier) => [identifier, identifier]),
  );
  const entries = [...names].map(([name, identifier]) => `${JSON.stringify(name)}: ${identifier}`);
  return `${standaloneCode.default(compiler, exported)}\nexport const compiledValidators = {${entries.join(",")}};\n`;
}

function commonPasswords(): string[] {
  const index = createRequire(import.meta.url).resolve("@zxcvbn-ts/language-common");
  const list: unknown = JSON.parse(readFileSync(join(index, "../../src/passwords.json"), "utf8"));
  if (!Array.isArray(list) || list.length < 40_000)
    throw new Error("the list of common passwords is not what it was");
  return list.map((word) => String(word).toLowerCase());
}
