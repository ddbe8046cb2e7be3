import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutations } from "../../../lab/basics/chance.ts";
import {
  readContentLength,
  readContentRange,
  validatorsOf,
} from "../../../src/releases/download/http-fields.ts";

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

describe("readContentRange", () => {
  for (const text of [
    undefined,
    "",
    "bytes */10",
    "bytes 5-4/10",
    "bytes 0-10/10",
    "bytes -5-9/10",
    "bytes 0-9",
    "items 0-9/10",
    "bytes 0-9/10, bytes 0-9/10",
    `bytes 0-${"9".repeat(30)}/*`,
  ]) {
    it(`understands nothing of ${JSON.stringify(text)}`, () => assert.equal(readContentRange(text), null));
  }

  it("reads a range and the length of the whole", () => {
    assert.deepEqual(readContentRange("bytes 42-1233/1234"), { first: 42, last: 1233, total: 1234 });
  });

  it("reads one whose whole is not known", () => {
    assert.deepEqual(readContentRange("bytes 42-1233/*"), { first: 42, last: 1233, total: null });
  });

  it("gives a range that is one or nothing, whatever comes", () => {
    for (const text of mutations(5_000, ["bytes ", "0", "17", "-", "/", "*", "9".repeat(20), " ", "x"])) {
      const range = readContentRange(text);
      if (range === null) continue;
      const end = range.total ?? Number.MAX_SAFE_INTEGER;
      assert.ok(0 <= range.first && range.first <= range.last && range.last < end, text);
    }
  });
});

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
