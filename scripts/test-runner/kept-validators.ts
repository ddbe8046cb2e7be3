/**
 * Validators that are compiled once and kept below .cache, for all test files of this and of later runs: compiling one
 * takes longer than all its uses in a test file.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import ajvPackage from "ajv/package.json" with { type: "json" };
import { createCompiler } from "../../src/store/validation/compile.ts";

const root = join(import.meta.dirname, "../..");
const directory = join(root, ".cache/validators");
const require = createRequire(import.meta.url);

/** The options of the agent's compiler are in its text. */
let agents: string | undefined;

/** In test files it stands for the function of that name in src/store/validation/compile.ts. */
export function compileValidator(schema: object): ValidateFunction {
  agents ??= readFileSync(join(root, "src/store/validation/compile.ts"), "utf8");
  return keptValidator(schema, agents, () => createCompiler({ source: true, optimize: false }));
}

/** `edition` differs where the compiler does. The compiler is made only where there is something to compile. */
export function keptValidator(
  schema: object,
  edition: string,
  createCompilerOfSource: () => Ajv2020,
): ValidateFunction {
  const name = createHash("sha256")
    .update(JSON.stringify([ajvPackage.version, edition, schema]))
    .digest("hex");
  const file = join(directory, `${name.slice(0, 32)}.cjs`);
  if (!existsSync(file)) {
    mkdirSync(directory, { recursive: true });
    const compiler = createCompilerOfSource();
    const part = `${file}.${process.pid}`;
    writeFileSync(part, standaloneCode.default(compiler, compiler.compile(schema)));
    // Other test files make the same at the same time.
    renameSync(part, file);
  }
  return require(file) as ValidateFunction;
}
