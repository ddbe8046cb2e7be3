import { _, Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { annotationKeywords } from "../../contract/schemas/settings.ts";
import { leaveLongLists } from "./long-lists.ts";

/** ajv with this program's options, also for the build. All faults of a form, in a bounded number (validation-words.ts). */
export function createCompiler({ forSource, allErrors = true }: { forSource: boolean; allErrors?: boolean }) {
  const compiler = new Ajv2020({
    allErrors,
    // validation-words.ts describes the faults.
    messages: false,
    useDefaults: true,
    // A test validates our schemas against the meta-schema, so a small device need not do it at each start.
    validateSchema: false,
    meta: false,
    strictTypes: false,
    strictRequired: false,
    keywords: [...annotationKeywords],
    formats: { "date-time": true },
    // The shorter code takes longer to make, which does not pay for a program run from its sources.
    code: { source: forSource, esm: forSource, optimize: forSource },
  });
  return allErrors ? leaveLongLists(compiler, _) : compiler;
}

export type CompiledValidator = ValidateFunction;
