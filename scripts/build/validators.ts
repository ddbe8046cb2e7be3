/** The validators of every schema that the program uses, compiled now instead of at each start of a small device. */
import { createHash } from "node:crypto";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { Plugin } from "esbuild";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import { hostFileForm, hostFileValidatorName } from "../../src/programs/host-file/check.ts";
import { releaseJournalName, releaseJournalSchema } from "../../src/releases/release-journal-schema.ts";
import { createCompiler } from "../../src/store/validation/compile.ts";
import { tolerant } from "../../src/store/validation/members.ts";
import { documentValidatorName, inputValidatorName } from "../../src/store/validation/schemas.ts";

/** Schemas by the names of their validators. */
type Schemas = ReadonlyMap<string, object>;

interface ValidatorFile {
  /** With the hash of its contents. */
  readonly file: string;
  /** An ES module that exports `validators`. */
  readonly source: string;
  readonly validators: readonly string[];
}

/** A file for each stored document, for the host file, and for the input of each operation. */
export const validatorFiles: readonly ValidatorFile[] = [
  ...documentKinds({}).map(({ name, schema }) => documentFile(name, schema)),
  documentFile(releaseJournalName, releaseJournalSchema),
  validatorFile("host-file", new Map([[hostFileValidatorName, hostFileForm]])),
  ...operationIds.map((id) => validatorFile(id, inputSchemas(id))),
].filter(({ validators }) => validators.length > 0);

function documentFile(name: string, schema: object): ValidatorFile {
  return validatorFile(`document-${name}`, new Map([[documentValidatorName(name), tolerant(schema)]]));
}

function validatorFile(name: string, schemas: Schemas): ValidatorFile {
  const source = sourceOf(schemas);
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
  return { file: `validators/${name}-${hash}.js`, source, validators: [...schemas.keys()] };
}

function inputSchemas(id: (typeof operationIds)[number]): Schemas {
  const { body, query, pathParameters = {} } = operationOf(id);
  const parameters = Object.entries(pathParameters).map(
    ([name, schema]) => [`path ${name}`, schema] as const,
  );
  const parts: (readonly [part: string, schema: object | undefined])[] = [
    ["body", body],
    ["query", query],
    ...parameters,
  ];
  return new Map(
    parts.flatMap(([part, schema]) => (schema ? [[inputValidatorName(id, part), schema] as const] : [])),
  );
}

/**
 * In the place of src/store/validation/compiled-validators.ts: each validator from its file, when it is first needed.
 * Together they are as long as the rest of the agent, and an agent at rest needs few of them.
 */
export const compiledValidators: Plugin = {
  name: "compiled-validators",
  setup: (esbuild) => {
    esbuild.onLoad({ filter: /validation\/compiled-validators\.ts$/ }, () => ({
      contents: `export const compiledValidators = {${validatorFiles.map(lazyMembers).join("")}};`,
      loader: "js",
      resolveDir: import.meta.dirname,
    }));
    esbuild.onResolve({ filter: /^\.\/validators\// }, ({ path }) => ({ path, external: true }));
  },
};

function lazyMembers({ file, validators }: ValidatorFile): string {
  return validators
    .map((name) => JSON.stringify(name))
    .map((name) => `get ${name}() { return require("./${file}").validators[${name}]; },\n`)
    .join("");
}

function sourceOf(schemas: Schemas): string {
  const compiler = createCompiler({ forSource: true });
  const identifiers = new Map<object, string>();
  // One function a schema, however many names it has: ajv would write a shared one out twice.
  const members = [...schemas].map(([name, schema]) => {
    const identifier = identifiers.get(schema) ?? `validator${identifiers.size}`;
    if (!identifiers.has(schema)) compiler.addSchema(schema, identifier);
    identifiers.set(schema, identifier);
    return `${JSON.stringify(name)}: ${identifier}`;
  });
  const exported = Object.fromEntries([...identifiers.values()].map((name) => [name, name]));
  return `${standaloneCode.default(compiler, exported)}\nexport const validators = {${members.join(",")}};\n`;
}
