import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allPages, type PageQuery } from "../../../src/cli/client/all-pages.ts";

/** A list of so many numbers, in pages of three at most. */
function listOf(count: number) {
  const asked: PageQuery[] = [];
  const read = async (query: PageQuery) => {
    asked.push(query);
    const begin = Number(query.cursor ?? 0);
    const end = Math.min(count, begin + Math.min(3, query.limit));
    const items = Array.from({ length: end - begin }, (_, index) => begin + index);
    return { items, total: count, next_cursor: end < count ? String(end) : null };
  };
  return { read, asked };
}

describe("the pages of a list", () => {
  it("are read to the end as one", async () => {
    const { read, asked } = listOf(7);
    assert.deepEqual(await allPages(read), { items: [0, 1, 2, 3, 4, 5, 6], total: 7, next_cursor: null });
    assert.deepEqual(asked, [{ limit: 200 }, { limit: 200, cursor: "3" }, { limit: 200, cursor: "6" }]);
  });

  it("are read no further than is wanted, and say that there is more", async () => {
    const { read, asked } = listOf(7);
    assert.deepEqual(await allPages(read, 4), { items: [0, 1, 2, 3], total: 7, next_cursor: "4" });
    assert.deepEqual(asked.at(-1), { limit: 1, cursor: "3" });
  });
});
