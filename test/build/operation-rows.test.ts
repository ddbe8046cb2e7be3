import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operationRows } from "../../scripts/build/operation-rows.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { operations } from "../../src/contract/operations/table.ts";

async function rows(): Promise<Record<string, Operation>> {
  const { operations: rows } = await import(`data:text/javascript,${encodeURIComponent(operationRows())}`);
  return rows as Record<string, Operation>;
}

describe("an operation as a program has it", () => {
  it("has each member of the contract's but summary and description", async () => {
    const short = await rows();
    const entries = Object.entries<Operation>(operations);
    assert.deepEqual(
      Object.keys(short),
      entries.map(([id]) => id),
    );
    for (const [id, { summary: _, description: __, ...operation }] of entries) {
      const { pathParameters, query, body, response, ...rest } = operation;
      const { schema, ...answer } = response;
      const {
        pathParameters: names,
        query: members,
        body: sent,
        response: given,
        ...others
      } = short[id] ?? {};
      assert.deepEqual(others, rest, id);
      assert.deepEqual(given, { ...answer, ...(schema && { schema: {} }) }, id);
      assert.deepEqual(Object.keys(names ?? {}), Object.keys(pathParameters ?? {}), id);
      assert.deepEqual(
        [sent === undefined, members === undefined],
        [body === undefined, query === undefined],
        id,
      );
    }
  });

  it("says which parameters of its query are no text", async () => {
    const query = (await rows()).listEvents?.query;
    assert.ok(query && "properties" in query);
    const { limit, cursor } = query.properties as Record<string, object>;
    assert.deepEqual([limit, cursor], [{ type: "integer" }, { type: "string" }]);
  });
});
