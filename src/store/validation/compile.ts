import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { annotationKeywords } from "../../contract/schemas/settings.ts";

/** ajv as this program uses it; the build uses the same to compile the validators ahead of time. */
export function createCompiler(options: { forSource: boolean }): Ajv2020 {
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
    // Shorter code, which takes longer to make: not worth it for what is run from its sources.
    code: { source: options.forSource, esm: options.forSource, optimize: options.forSource },
  });
}

export type CompiledValidator = ValidateFunction;
