import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLookUp } from "../../../src/store/documents/look-up.ts";

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
