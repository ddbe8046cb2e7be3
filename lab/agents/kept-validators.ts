/**
 * Functions that say whether a value fits a schema. Compiling one takes longer than all its uses in a test file: so each
 * is compiled once and kept below .cache, by what it is made of, for all files of this and of later runs.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inspect } from "node:util";
import type { _, Ajv2020, Options, ValidateFunction } from "ajv/dist/2020.js";
import ajvPackage from "ajv/package.json" with { type: "json" };
import { leaveLongLists } from "../../src/store/validation/long-lists.ts";

const directory = join(import.meta.dirname, "../../.cache/validators");
const load = createRequire(import.meta.url);

/** ajv is read where something is to be compiled: most files find all that they need. */
export function createAjv(options: Options): Ajv2020 {
  const { Ajv2020 } = load("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  return new Ajv2020(options);
}

export const codeTag: typeof _ = (...code) =>
  (load("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js"))._(...code);

/** Gives the same as `createAjv(options).compile(schema)`. */
export function keptValidator(options: Options, schema: object): ValidateFunction {
  const made = inspect([ajvPackage.version, options, String(leaveLongLists)], { depth: null, compact: true });
  const hash = createHash("sha256")
    .update(`${made} ${JSON.stringify(schema)}`)
    .digest("hex");
  const file = join(directory, `${hash.slice(0, 32)}.cjs`);
  if (!existsSync(file)) keep(file, sourceOf(options, schema));
  return Object.assign(load(file) as ValidateFunction, { schema });
}

function keep(file: string, source: string): void {
  mkdirSync(directory, { recursive: true });
  const part = `${file}.${process.pid}`;
  writeFileSync(part, source);
  // For tests that run programs as other users, whatever the mask of this process is.
  chmodSync(part, 0o644);
  // Other test files make the same at the same time.
  renameSync(part, file);
}

function sourceOf(options: Options, schema: object): string {
  const standaloneCode = load(
    "ajv/dist/standalone/index.js",
  ) as typeof import("ajv/dist/standalone/index.js");
  const ajv = leaveLongLists(createAjv({ ...options, code: { ...options.code, source: true } }), codeTag);
  return standaloneCode.default(ajv, ajv.compile(schema));
}
