import { Ajv2020 } from "ajv/dist/2020.js";
import { annotationKeywords } from "../contract/settings.ts";
import type { InputError } from "../errors.ts";

/** Checks a value, filling in the schema's defaults in place; what is wrong comes back as a list, empty when nothing is. */
export type Validator = (value: unknown) => readonly InputError[];

/** Validation of our own schemas against the meta-schema is a test's work, not a small device's at each start. */
const ajv = new Ajv2020({
  allErrors: false,
  useDefaults: true,
  validateSchema: false,
  meta: false,
  strictTypes: false,
  strictRequired: false,
  keywords: [...annotationKeywords],
  formats: { "date-time": true },
});

/** Compiles a schema at its first use: a compiled validator costs memory that an idle agent need not hold. */
export function createValidator(schema: object): Validator {
  let validate: ReturnType<typeof ajv.compile> | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => {
      const extra = error.params.additionalProperty;
      if (typeof extra === "string") {
        const pointer = `${error.instancePath}/${extra.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        return { pointer, code: "unknown_field", detail: "is not a member known here" };
      }
      return { pointer: error.instancePath, code: error.keyword, detail: explain(error) };
    });
  };
}

function explain(error: { message?: string | undefined; params: Record<string, unknown> }): string {
  const allowed = error.params.allowedValues;
  if (Array.isArray(allowed)) return `must be one of ${allowed.join(", ")}`;
  return error.message ?? "is not valid";
}
