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

describe("a published schema", () => {
  it("is that of the contract; otherwise run: make docs", () => {
    assert.equal(readFileSync(configurationSchemaPath, "utf8"), configurationSchema());
    assert.equal(readFileSync(hostFileSchemaPath, "utf8"), hostFileSchema());
  });
});

describe("the tables of the documents", () => {
  it("stand in some page each", () => {
    const found = pages.flatMap(tablesOf);
    assert.deepEqual(found.toSorted(), Object.keys(tables).toSorted());
  });

  for (const page of pages.filter((one) => tablesOf(one).length > 0)) {
    it(`${page.path} has them as the contract has them; otherwise run: make docs`, () => {
      assert.equal(page.text, withTables(page));
    });
  }

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

  it("are noticed when they are edited by hand", () => {
    const page = {
      path: "page.md",
      text: "<!-- begin table: exit-codes (make docs) -->\n<!-- end table -->\n",
    };
    assert.match(withTables(page), /^\| 9 \| clock not synchronised \|$/m);
  });

  it("are refused where there is none of that name", () => {
    const page = { path: "page.md", text: "<!-- begin table: nothing (make docs) -->\n<!-- end table -->\n" };
    assert.throws(() => withTables(page), /page\.md: there is no table "nothing"/);
  });
});
