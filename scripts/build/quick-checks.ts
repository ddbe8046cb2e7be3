/** Validators that only say whether a value is valid: a third as long as those that say what is wrong with it. */
import standaloneCode from "ajv/dist/standalone/index.js";
import { createCompiler } from "../../src/store/validation/compile.ts";

/**
 * An ES module that exports `validators`, for the schemas by their names. Each answers as the whole validator of its
 * schema does, fills in the same defaults, and reports no fault: it ends at the first.
 */
export function quickChecks(schemas: ReadonlyMap<string, object>): string {
  const compiler = createCompiler({ forSource: true, allErrors: false });
  const names = [...schemas].map(([name, schema], index) => {
    compiler.addSchema(schema, `check${index}`);
    return [name, `check${index}`] as const;
  });
  const exported = Object.fromEntries(names.map(([, identifier]) => [identifier, identifier]));
  const members = names.map(([name, identifier]) => `${JSON.stringify(name)}: ${identifier}`);
  const text = withoutFaults(standaloneCode.default(compiler, exported));
  return `${text}\nexport const validators = {${members.join(",")}};\n`;
}

/** Leaves of the faults in ajv's code only their count, by which it chooses among several forms. */
function withoutFaults(code: string): string {
  const quick = code
    .replace(/validate\d+\.errors = \[\{instancePath.*?\}\];return false;/g, "return false;")
    .replace(
      /const (err\d+) = \{instancePath.*?\};if\(vErrors === null\)\{vErrors = \[\1\];\}else \{vErrors\.push\(\1\);\}/g,
      "",
    );
  if (quick.includes("schemaPath"))
    throw new Error("ajv writes faults in another form than this build knows");
  return quick;
}
