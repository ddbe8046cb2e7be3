import type { InputError } from "../../contract/errors.ts";
import { type CompiledValidator, createCompiler } from "./compile.ts";
import { compiledValidators } from "./compiled-validators.ts";
import { inputErrors } from "./validation-words.ts";

/** Checks a value, and fills in the schema's defaults in place. Returns the list of faults, empty if there are none. */
export type Validator = (value: unknown) => readonly InputError[];

/** The build's validator of that name; from sources `schema` is compiled at its first use, a function called then. */
export function createValidator(name: string, schema: object | (() => object)): Validator {
  let validate: CompiledValidator | undefined;
  if (compiledValidators && !(name in compiledValidators))
    throw new Error(`the build compiled no validator named "${name}"`);
  return (value) => {
    validate ??= compiledValidators?.[name] ?? compileNow(typeof schema === "function" ? schema() : schema);
    if (validate(value)) return [];
    return inputErrors(validate.errors ?? [], validate.schema, value);
  };
}

let compiler: ReturnType<typeof createCompiler> | undefined;

function compileNow(schema: object): CompiledValidator {
  compiler ??= createCompiler({ forSource: false });
  return compiler.compile(schema);
}

export function documentValidatorName(document: string): string {
  return `document ${document}`;
}

/** The name of the validator of a part of an operation's input: `body`, `query`, or `path` and a parameter's name. */
export function inputValidatorName(operationId: string, part: string): string {
  return `${operationId} ${part}`;
}
