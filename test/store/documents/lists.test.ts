import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDerived, createGroups, createLookUp } from "../../../src/store/documents/look-up.ts";
import { pageOf } from "../../../src/store/documents/pages.ts";

/** A look-up in a list that may be replaced, by a key whose uses are counted. */
function lookingIn<T extends object, F>(
  create: (list: () => readonly T[], key: (item: T) => string) => F,
  keyOf: (item: T) => string,
  first: readonly T[],
) {
  const set = { list: first, walks: 0 };
  const find = create(
    () => set.list,
    (item) => {
      set.walks += 1;
      return keyOf(item);
    },
  );
  return { set, find };
}

describe("a look-up", () => {
  const members = Array.from({ length: 1_000 }, (_, index) => ({ id: String(index), use: 0 }));
  const opened = () => lookingIn(createLookUp<{ id: string; use: number }>, ({ id }) => id, members);

  it("finds by key, and walks a list once", () => {
    const { set, find } = opened();
    for (const [id, found] of [
      ["7", members[7]],
      ["x", undefined],
      ["__proto__", undefined],
    ] as const)
      assert.equal(find(id), found);
    assert.equal(set.walks, 1_000);
  });

  const used = { id: "500", use: 1 };
  for (const [what, next, id, found] of [
    ["one replaced", members.with(500, used), "500", used],
    ["one added", [...members, used], "500", used],
    ["the first removed", members.slice(1), "0", undefined],
    ["one removed", members.toSpliced(500, 1), "500", undefined],
    ["the last removed", members.slice(0, -1), "999", undefined],
    ["one put in", members.toSpliced(7, 0, { id: "new", use: 2 }), "new", { id: "new", use: 2 }],
    [
      "two swapped",
      members.with(3, { id: "4", use: 3 }).with(4, { id: "3", use: 3 }),
      "3",
      { id: "3", use: 3 },
    ],
  ] as const)
    it(`follows a list with ${what}, and walks only what differs`, () => {
      const { set, find } = opened();
      find("0");
      set.walks = 0;
      set.list = [...next];
      assert.deepEqual(find(id), found);
      assert.ok(set.walks <= 4, `${set.walks} walks`);
      set.list = members;
      assert.deepEqual(find("3"), members[3]);
    });

  it("by a key that several share gives all of them in their order, and groups each list once", () => {
    const [first, second, third] = [{ of: "a" }, { of: "b" }, { of: "a" }] as const;
    const { set, find } = lookingIn(createGroups<{ of: string }>, ({ of }) => of, [first, second, third]);
    assert.deepEqual(find("a"), [first, third]);
    const { walks } = set;
    assert.deepEqual([find("b"), find("c"), set.walks], [[second], [], walks]);
    const changed = { of: "a" };
    set.list = [changed, second, third];
    assert.deepEqual(find("a"), [changed, third]);
    set.list = [third];
    assert.deepEqual([find("a"), find("b")], [[third], []]);
  });
});

it("a derived value is made again when one of its parts is another, and only then", () => {
  let times = 0;
  const joined = createDerived((list: readonly string[], end: string | null) => {
    times += 1;
    return [...list, end];
  });
  const list = ["a"];
  assert.deepEqual(joined(list, null), ["a", null]);
  assert.equal(joined(list, null), joined(list, null));
  assert.equal(times, 1);
  assert.deepEqual(
    [joined(list, "b"), joined(["c"], "b")],
    [
      ["a", "b"],
      ["c", "b"],
    ],
  );
  assert.deepEqual(joined(list, null), ["a", null], "only the last one is kept");
  assert.equal(times, 4);
});

interface Item {
  age: number;
  name: string;
}

const items: readonly Item[] = ["c3", "a1", "e2", "b2", "d3"].map((text) => ({
  ...{ name: text.charAt(0), age: Number(text.charAt(1)) },
}));
const byAge = { list: "things by age", keyOf: ({ age, name }: Item) => [age, name] };
const namesOf = (page: { items: readonly Item[] }) => page.items.map(({ name }) => name).join("");

describe("the pages of a list", () => {
  const later = [...items.filter(({ name }) => name !== "b"), { name: "0", age: 1 }, { name: "f", age: 2 }];
  /** The list may be another one behind the first page. */
  for (const [what, limit, isDescending, first, rest, expected] of [
    ["in the order of their keys, the first of which decides first", 2, false, items, items, "ab ec d"],
    ["and the other way round", 2, true, items, items, "dc eb a"],
    ["all on one", 5, false, items, items, "abecd"],
    ["with room left", 6, false, items, items, "abecd"],
    ["of nothing", 2, false, [], [], ""],
    ["without an empty one at the end", 2, false, items.slice(0, 4), items.slice(0, 4), "ab ec"],
    ["whole while items go and come", 2, false, items, later, "ab ef cd"],
  ] as const)
    it(`have each item once: ${what}`, () => {
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const list = cursor === undefined ? first : rest;
        const page = pageOf(list, { ...byAge, limit, isDescending, ...(cursor && { cursor }) });
        assert.equal(page.total, list.length);
        found.push(namesOf(page));
        cursor = page.next_cursor;
      }
      assert.equal(found.join(" "), expected);
    });

  const shown = (cursor: unknown, list = items) => {
    const text =
      typeof cursor === "string" ? cursor : Buffer.from(JSON.stringify(cursor)).toString("base64url");
    return namesOf(pageOf(list, { ...byAge, limit: 9, cursor: text }));
  };
  const own = "things by age";

  it("go on behind a cursor of their own, also when the list has become empty", () => {
    assert.deepEqual([shown([own, 2, "b"]), shown([own, 2, "b"], [])], ["ecd", ""]);
  });

  for (const [name, cursor, list] of [
    ["of another list", ["things by name", 2, "b"], items],
    ["with members of other types", [own, "2", "b"], items],
    ["with a member too many", [own, 2, "b", "c"], items],
    ["with a member too few", [own, 2], items],
    ["that is no list", { 0: own }, items],
    ["that is no JSON", "////", items],
    ...[[], [null], [[]], [true]].map(
      (key) => [`of an empty list with ${JSON.stringify(key)}`, [own, ...key], []] as const,
    ),
  ] as const)
    it(`refuse a cursor ${name}`, () => {
      assert.throws(() => shown(cursor, list), { code: "invalid_cursor" });
    });
});
