/**
 * `make docs`: writes the tables of the documents again, from the contract and the table of commands; and the schemas.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPages, withTables } from "./pages.ts";
import {
  configurationSchema,
  configurationSchemaPath,
  hostFileSchema,
  hostFileSchemaPath,
} from "./published-schemas.ts";

const root = join(import.meta.dirname, "../..");

writeFileSync(join(root, configurationSchemaPath), configurationSchema());
writeFileSync(join(root, hostFileSchemaPath), hostFileSchema());
for (const page of readPages()) {
  const text = withTables(page);
  if (text === page.text) continue;
  writeFileSync(join(root, page.path), text);
  console.log(`${page.path}: tables written`);
}
