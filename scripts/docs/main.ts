/** `make docs`: writes the tables of the documents anew, from the contract and the table of commands; and the schemas. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationSchema, configurationSchemaPath } from "./configuration-schema.ts";
import { readPages, withTables } from "./pages.ts";

const root = join(import.meta.dirname, "../..");

writeFileSync(join(root, configurationSchemaPath), configurationSchema());
for (const page of readPages()) {
  const text = withTables(page);
  if (text === page.text) continue;
  writeFileSync(join(root, page.path), text);
  console.log(`${page.path}: tables written`);
}
