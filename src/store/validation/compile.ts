import { Ajv2020, type CodeOptions, type ValidateFunction } from "ajv/dist/2020.js";
import { annotationKeywords } from "../../contract/schemas/settings.ts";

export type CompiledValidator = ValidateFunction;

let compiler: Ajv2020 | undefined;

/** Shorter code takes longer to make: it is not worth it for what is run from its sources. */
export function compileValidator(schema: object): CompiledValidator {
  compiler ??= createCompiler({ optimize: false });
  return compiler.compile(schema);
}

/** ajv as this program uses it; the build uses the same to compile the validators ahead of time. */
export function createCompiler(code: CodeOptions): Ajv2020 {
  return new Ajv2020({
    // A form is to be told all that is wrong with it; how much of that is told is bounded (validation-words.ts).
    allErrors: true,
    // Faults are described by validation-words.ts.
    messages: false,
    useDefaults: true,
    // Our schemas are validated against the meta-schema by a test, not by a small device at each start.
    validateSchema: false,
    meta: false,
    strictTypes: false,
    strictRequired: false,
    keywords: [...annotationKeywords],
    formats: { "date-time": true },
    code,
  });
}
