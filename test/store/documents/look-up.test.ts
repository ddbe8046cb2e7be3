import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDerived, createGroups, createLookUp } from "../../../src/store/documents/look-up.ts";

describe("a look-up", () => {
  it("finds by key, follows a list that was replaced, and walks it once for each list", () => {
    let list = [{ id: "a" }, { id: "b" }];
    let walks = 0;
    const find = createLookUp(
      () => list,
      ({ id }) => {
        walks += 1;
        return id;
      },
    );
    assert.equal(find("b"), list[1]);
    assert.equal(find("c"), undefined);
    assert.equal(find("__proto__"), undefined);
    assert.equal(walks, 2, "once for each member");
    list = [{ id: "c" }];
    assert.equal(find("c"), list[0]);
    assert.equal(find("b"), undefined, "a removed item is not found");
  });

  it("walks only what differs, wherever it is", () => {
    const members = Array.from({ length: 1_000 }, (_, index) => ({ id: String(index), use: 0 }));
    let list = members;
    let walks = 0;
    const find = createLookUp(
      () => list,
      ({ id }) => {
        walks += 1;
        return id;
      },
    );
    find("0");
    const used = { id: "500", use: 1 };
    for (const [what, next, id, found] of [
      ["one replaced", members.with(500, used), "500", used],
      ["one added", [...members, used], "500", used],
      ["the first removed", members.slice(1), "0", undefined],
      ["one removed", members.toSpliced(500, 1), "500", undefined],
      ["the last removed", members.slice(0, -1), "999", undefined],
      ["one put in", members.toSpliced(7, 0, { id: "new", use: 2 }), "new", { id: "new", use: 2 }],
      ["swap", members.with(3, { id: "4", use: 3 }).with(4, { id: "3", use: 3 }), "3", { id: "3", use: 3 }],
    ] as const) {
      list = [...next];
      const walked = walks;
      assert.deepEqual(find(id), found, what);
      assert.ok(walks - walked <= 4, `${what}: ${walks - walked} walks`);
      list = members;
      assert.deepEqual(find("3"), members[3], what);
    }
  });
});

describe("a look-up by a key that several share", () => {
  it("gives all of them in their order, follows a list that was replaced, and groups each list once", () => {
    const [first, second, third] = [{ of: "a" }, { of: "b" }, { of: "a" }];
    let list = [first, second, third];
    let walks = 0;
    const find = createGroups(
      () => list,
      ({ of }) => {
        walks += 1;
        return of;
      },
    );
    assert.deepEqual(find("a"), [first, third]);
    const walked = walks;
    assert.deepEqual(find("b"), [second]);
    assert.deepEqual(find("c"), []);
    assert.equal(walks, walked, "not again for the same list");
    const changed = { of: "a" };
    list = [changed, second, third];
    assert.deepEqual(find("a"), [changed, third], "in the order of the list");
    list = [third];
    assert.deepEqual(find("a"), [third]);
    assert.deepEqual(find("b"), []);
  });
});

describe("a derived value", () => {
  it("is made again when one of its parts is another, and only then", () => {
    let times = 0;
    const joined = createDerived((list: readonly string[], end: string | null) => {
      times += 1;
      return [...list, end];
    });
    const list = ["a"];
    assert.deepEqual(joined(list, null), ["a", null]);
    assert.equal(joined(list, null), joined(list, null));
    assert.equal(times, 1);
    assert.deepEqual(joined(list, "b"), ["a", "b"]);
    assert.deepEqual(joined(["c"], "b"), ["c", "b"]);
    assert.deepEqual(joined(list, null), ["a", null], "only the last one is kept");
    assert.equal(times, 4);
  });
});
