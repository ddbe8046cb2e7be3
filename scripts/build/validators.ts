/** The validators of every schema that the program uses, compiled now instead of at each start of a small device. */
import { createHash } from "node:crypto";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { Plugin } from "esbuild";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { manifestName, manifestSchema } from "../../src/device/backup/manifest.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import { hostFileForm, hostFileValidatorName } from "../../src/programs/host-file/check.ts";
import { releaseJournalName, releaseJournalSchema } from "../../src/releases/release-journal-schema.ts";
import { createCompiler } from "../../src/store/validation/compile.ts";
import { tolerant } from "../../src/store/validation/members.ts";
import { documentValidatorName, inputValidatorName } from "../../src/store/validation/schemas.ts";
import { quickChecks } from "./quick-checks.ts";

/** Schemas by the names of their validators. */
type Schemas = ReadonlyMap<string, object>;

interface ValidatorFile {
  /** With the hash of its contents. */
  readonly file: string;
  /** An ES module that exports `validators`. */
  readonly source: string;
  readonly validators: readonly string[];
}

/**
 * Schemas of all that a start reads from the disk, by their files of quick checks. The documents share one, since each
 * start reads all of them.
 */
export const readAtStart: ReadonlyMap<string, Schemas> = new Map([
  ["documents", new Map(documentKinds({}).map(documentSchema))],
  [releaseJournalName, new Map([documentSchema({ name: releaseJournalName, schema: releaseJournalSchema })])],
  ["host-file", new Map([[hostFileValidatorName, hostFileForm()]])],
]);

/** A file of quick checks, and for each of them the file of the validator that says what is wrong. */
interface Checked {
  readonly quick: ValidatorFile;
  readonly whole: readonly ValidatorFile[];
}

const checked: readonly Checked[] = [...readAtStart].map(([name, schemas]) => ({
  quick: fileOf(`check-${name}`, quickChecks(schemas), schemas),
  whole: [...schemas].map(([one, schema]) =>
    validatorFile(one.replaceAll(" ", "-"), new Map([[one, schema]])),
  ),
}));

/** One for each operation, with the validators of its input. */
const ofInput: readonly ValidatorFile[] = operationIds
  .map((id) => validatorFile(id, inputSchemas(id)))
  .filter(({ validators }) => validators.length > 0);

const ofBackup = validatorFile(
  manifestName,
  new Map([documentSchema({ name: manifestName, schema: manifestSchema })]),
);

export const validatorFiles: readonly ValidatorFile[] = [
  ...checked.flatMap(({ quick, whole }) => [quick, ...whole]),
  ...ofInput,
  ofBackup,
];

function documentSchema({ name, schema }: { name: string; schema: object }): readonly [string, object] {
  return [documentValidatorName(name), tolerant(schema)];
}

function validatorFile(name: string, schemas: Schemas): ValidatorFile {
  return fileOf(name, sourceOf(schemas), schemas);
}

function fileOf(name: string, source: string, schemas: Schemas): ValidatorFile {
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
  return { file: `validators/${name}-${hash}.js`, source, validators: [...schemas.keys()] };
}

function inputSchemas(id: (typeof operationIds)[number]): Schemas {
  const { body, query, pathParameters = {} } = operationOf(id);
  const parameters = Object.entries(pathParameters).map(([name, schema]) => [`path ${name}`, schema]);
  const parts: Readonly<Record<string, object | undefined>> = {
    ...{ body, query, ...Object.fromEntries(parameters) },
  };
  return new Map(
    Object.entries(parts).flatMap(([part, schema]) =>
      schema ? [[inputValidatorName(id, part), schema] as const] : [],
    ),
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
      contents: `${explainedLater}
export const compiledValidators = {${[...checked.flatMap(quickMembers), ...[...ofInput, ofBackup].flatMap(members)].join(",\n")}};`,
      loader: "js",
      resolveDir: import.meta.dirname,
    }));
    esbuild.onResolve({ filter: /^\.\/validators\// }, ({ path }) => ({ path, external: true }));
  },
};

/** A validator that asks the quick one, and of what that finds invalid the whole one, which says why. */
const explainedLater = `function explainedLater(isValid, whole) {
  const validate = (value) => {
    if (isValid(value)) return true;
    const explaining = whole();
    const isSound = explaining(value);
    validate.errors = explaining.errors;
    validate.schema = explaining.schema;
    return isSound;
  };
  return validate;
}`;

function quickMembers({ quick, whole }: Checked): string[] {
  return whole.flatMap((one) =>
    one.validators.map((name) => {
      const [isValid, explaining] = [quick, one].map((file) => loaded(file, name));
      return `get ${JSON.stringify(name)}() { return explainedLater(${isValid}, () => ${explaining}); }`;
    }),
  );
}

function members(file: ValidatorFile): string[] {
  return file.validators.map((name) => `get ${JSON.stringify(name)}() { return ${loaded(file, name)}; }`);
}

function loaded({ file }: ValidatorFile, name: string): string {
  return `require("./${file}").validators[${JSON.stringify(name)}]`;
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
  const code = standaloneCode.default(compiler, exported);
  const owned = [...identifiers].map(([schema, name]) => `${name}.schema = ${schemaIn(code, schema)};`);
  return `${code}\n${owned.join("\n")}\nexport const validators = {${members.join(",")}};\n`;
}

/** The name of a schema in ajv's code, which has it for its own use. */
function schemaIn(code: string, schema: object): string {
  const [, name] = code.split(` = ${JSON.stringify(schema)};`, 1)[0]?.match(/const (schema\d+)$/) ?? [];
  if (name === undefined) throw new Error("ajv keeps schemas in another form than this build knows");
  return name;
}
