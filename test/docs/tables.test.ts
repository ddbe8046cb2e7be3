import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readPages, tablesOf, withTables } from "../../scripts/docs/pages.ts";
import {
  configurationSchema,
  configurationSchemaPath,
  hostFileSchema,
  hostFileSchemaPath,
} from "../../scripts/docs/published-schemas.ts";
import { tables } from "../../scripts/docs/tables.ts";
import { openApiDocument } from "../../src/contract/openapi/document.ts";
import { operationIds } from "../../src/contract/operations.ts";

const pages = readPages();

describe("the tables and schemas of the documents", () => {
  it("stand in some page each", () => {
    assert.deepEqual(pages.flatMap(tablesOf).toSorted(), Object.keys(tables).toSorted());
  });

  it("are those of the contract; otherwise run: make docs", () => {
    for (const page of pages) assert.equal(page.text, withTables(page), page.path);
    assert.equal(readFileSync(configurationSchemaPath, "utf8"), configurationSchema());
    assert.equal(readFileSync(hostFileSchemaPath, "utf8"), hostFileSchema());
  });

  it("name every route of the API, and say which of them the OpenAPI document has not", () => {
    const { paths } = openApiDocument("1.0.0") as { paths: Record<string, object> };
    const api = pages.find(({ path }) => path === "docs/api.md")?.text ?? "";
    const rows = [...api.matchAll(/^\| `(GET|PUT|POST|DELETE) (\S+)` \|.*$/gm)];
    assert.equal(rows.length, operationIds.length);
    for (const [row, method = "", path = ""] of rows) {
      const isDocumented = method.toLowerCase() in (paths[path] ?? {});
      assert.equal(/with the (command line `steward`|console) only/.test(row), !isDocumented, row);
    }
  });

  it("are noticed when they are edited by hand, and refused where there is none of that name", () => {
    const made = (name: string) =>
      withTables({
        path: "page.md",
        text: `<!-- begin table: ${name} (make docs) -->\n<!-- end table -->\n`,
      });
    assert.match(made("exit-codes"), /^\| 9 \| clock not synchronised \|$/m);
    assert.throws(() => made("nothing"), /page\.md: there is no table "nothing"/);
  });
});
