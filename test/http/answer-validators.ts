/**
 * Functions that say whether a value fits a schema of the contract. Compiling one takes longer than all its uses in a test
 * file: so each is compiled once and kept below .cache, by what it is made of, for all files of this and of later runs.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import ajvPackage from "ajv/package.json" with { type: "json" };
import { annotationKeywords } from "../../src/contract/schemas/settings.ts";

/** RFC 3339 in UTC with milliseconds, as the contract promises. */
export const timestampForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Raised when anything beside the schema that the functions are made of changes. */
const edition = `1 ${ajvPackage.version}`;

const directory = join(import.meta.dirname, "../../.cache/answer-validators");
const validators = new WeakMap<object, ValidateFunction>();

/** Throws with what is wrong unless the value fits. */
export function assertFits(schema: object, value: unknown, where: string): void {
  const validate = validators.get(schema) ?? validatorOf(schema);
  validators.set(schema, validate);
  if (validate(value)) return;
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath === "" ? "the answer" : instancePath} ${message} ${JSON.stringify(params)}`,
  );
  assert.fail(`${where}: it does not fit the contract: ${faults.join("; ")}`);
}

function validatorOf(schema: object): ValidateFunction {
  const name = createHash("sha256")
    .update(`${edition} ${JSON.stringify(schema)}`)
    .digest("hex");
  const file = join(directory, `${name.slice(0, 32)}.cjs`);
  const require = createRequire(import.meta.url);
  if (existsSync(file)) return require(file) as ValidateFunction;
  mkdirSync(directory, { recursive: true });
  const part = `${file}.${process.pid}`;
  writeFileSync(part, sourceOf(schema));
  // Other test files make the same at the same time.
  renameSync(part, file);
  return require(file) as ValidateFunction;
}

function sourceOf(schema: object): string {
  const ajv = new Ajv2020({
    // The schemas themselves are checked once, by test/contract/schemas.test.ts.
    ...{ meta: false, validateSchema: false },
    code: { source: true, optimize: false },
    allErrors: true,
    strictTypes: false,
    strictRequired: false,
    keywords: [...annotationKeywords, "x-optional"],
    formats: { "date-time": timestampForm },
  });
  return standaloneCode.default(ajv, ajv.compile(schema));
}
