/** `make docs`: writes the tables of the documents anew, from the contract and the table of commands. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPages, withTables } from "./pages.ts";

const root = join(import.meta.dirname, "../..");

for (const page of readPages()) {
  const text = withTables(page);
  if (text === page.text) continue;
  writeFileSync(join(root, page.path), text);
  console.log(`${page.path}: tables written`);
}
