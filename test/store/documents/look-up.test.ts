import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGroups, createLookUp } from "../../../src/store/documents/look-up.ts";

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
    list = [third];
    assert.deepEqual(find("a"), [third]);
    assert.deepEqual(find("b"), []);
  });
});
