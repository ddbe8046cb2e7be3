import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readContentLength, validatorsOf } from "../../../src/releases/download/http-fields.ts";

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

describe("readContentLength", () => {
  for (const text of [undefined, "", "-1", "1e3", "0x10", "1, 1", "9".repeat(17)]) {
    it(`understands nothing of ${JSON.stringify(text)}`, () => assert.equal(readContentLength(text), null));
  }

  it("reads bytes", () => assert.equal(readContentLength("268435456"), 268_435_456));
});

describe("validatorsOf", () => {
  it("leaves out malformed or overlong fields", () => {
    const bad = { etag: `"${"x".repeat(300)}"`, "last-modified": "yesterday" };
    assert.deepEqual(validatorsOf(bad), { etag: null, last_modified: null });
    assert.deepEqual(validatorsOf({ etag: "unquoted" }), { etag: null, last_modified: null });
  });

  it("keeps a tag of 256 bytes, and none that is longer", () => {
    const [tag, longer] = [254, 255].map((length) => `"${"x".repeat(length)}"`);
    assert.equal(validatorsOf({ etag: tag }).etag, tag);
    assert.equal(validatorsOf({ etag: longer }).etag, null);
  });

  it("keeps what can be sent back", () => {
    assert.deepEqual(validatorsOf({ etag: 'W/"1"', "last-modified": date }), {
      etag: 'W/"1"',
      last_modified: date,
    });
  });
});
