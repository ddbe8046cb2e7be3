import assert from "node:assert/strict";
import type { Options, ValidateFunction } from "ajv/dist/2020.js";
import { annotationKeywords } from "../../src/contract/schemas/settings.ts";
import { keptValidator } from "./kept-validators.ts";

/** RFC 3339 in UTC with milliseconds, as the contract promises. */
export const timestampForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const options: Options = {
  // The schemas themselves are checked once, by test/contract/schemas.test.ts.
  ...{ meta: false, validateSchema: false },
  code: { optimize: false },
  allErrors: true,
  strictTypes: false,
  strictRequired: false,
  keywords: [...annotationKeywords, "x-optional"],
  formats: { "date-time": timestampForm },
};

const validators = new WeakMap<object, ValidateFunction>();

export function assertFits(schema: object, value: unknown, where: string): void {
  const validate = validators.get(schema) ?? keptValidator(options, schema);
  validators.set(schema, validate);
  if (validate(value)) return;
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath === "" ? "the answer" : instancePath} ${message} ${JSON.stringify(params)}`,
  );
  assert.fail(`${where}: it does not fit the contract: ${faults.join("; ")}`);
}
