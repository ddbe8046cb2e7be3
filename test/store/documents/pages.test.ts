import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StewardError } from "../../../src/contract/errors.ts";
import { pageOf } from "../../../src/store/documents/pages.ts";

interface Item {
  age: number;
  name: string;
}

const items: readonly Item[] = ["c3", "a1", "e2", "b2", "d3"].map((text) => ({
  ...{ name: text.charAt(0), age: Number(text.charAt(1)) },
}));
const byAge = { list: "things by age", keyOf: ({ age, name }: Item) => [age, name] };
const namesOf = (page: { items: readonly Item[] }) => page.items.map(({ name }) => name).join("");

/** The names of each page, with a list that may change before each. */
function pages(limit: number, isDescending: boolean, listAt = (_: number) => items): string[] {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const list = listAt(found.length);
    const page = pageOf(list, { ...byAge, limit, isDescending, ...(cursor && { cursor }) });
    assert.equal(page.total, list.length);
    found.push(namesOf(page));
    cursor = page.next_cursor;
  }
  return found;
}

describe("the pages of a list", () => {
  it("have each item once, in the order of its keys, the first of which decides first", () => {
    assert.deepEqual(pages(2, false), ["ab", "ec", "d"]);
    assert.deepEqual(pages(2, true), ["dc", "eb", "a"]);
  });

  it("end with the last item: there is none without", () => {
    assert.deepEqual(pages(5, false), ["abecd"]);
    assert.deepEqual(pages(6, false), ["abecd"]);
    const found = pages(2, false, () => []);
    assert.deepEqual(found, [""]);
    const four = items.slice(0, 4);
    const seen = pages(2, false, () => four);
    assert.deepEqual(seen, ["ab", "ec"]);
  });

  it("stay whole while items go and come", () => {
    const later = [...items.filter(({ name }) => name !== "b"), { name: "0", age: 1 }, { name: "f", age: 2 }];
    const found = pages(2, false, (page) => (page === 0 ? items : later));
    assert.deepEqual(found, ["ab", "ef", "cd"]);
  });
});

describe("a cursor", () => {
  const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const shown = (cursor: string, list = items) => namesOf(pageOf(list, { ...byAge, limit: 9, cursor }));
  const isForeign = ({ code }: StewardError) => code === "invalid_cursor";

  it("is good for its own list, also when that has become empty", () => {
    assert.equal(shown(cursorOf(["things by age", 2, "b"])), "ecd");
    assert.equal(shown(cursorOf(["things by age", 2, "b"]), []), "");
  });

  for (const [name, cursor] of Object.entries({
    "is of another list": cursorOf(["things by name", 2, "b"]),
    "has members of other types": cursorOf(["things by age", "2", "b"]),
    "has a member too many": cursorOf(["things by age", 2, "b", "c"]),
    "has a member too few": cursorOf(["things by age", 2]),
    "is no list": cursorOf({ 0: "things by age" }),
    "is no JSON": "////",
  }))
    it(`is refused where it ${name}`, () => {
      assert.throws(() => shown(cursor), isForeign);
    });

  for (const key of [[], [null], [[]], [true]])
    it(`is refused of an empty list too with the key ${JSON.stringify(key)}`, () => {
      assert.throws(() => shown(cursorOf(["things by age", ...key]), []), isForeign);
    });
});
