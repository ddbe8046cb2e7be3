import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChance } from "../../../lab/basics/chance.ts";
import {
  readContentLength,
  readContentRange,
  readHttpDate,
  readRetryAfter,
  validatorsOf,
} from "../../../src/updates/download/http-fields.ts";

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

/** Bytes that hostile servers put together: parts of true fields in any order. */
function mutations(count: number, parts: readonly string[]): string[] {
  const { uniform } = createChance(7);
  const pick = (): string => parts[Math.floor(uniform() * parts.length)] ?? "";
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(uniform() * 6) }, pick).join(""),
  );
}

describe("readHttpDate", () => {
  for (const text of [
    undefined,
    "",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "Sun, 31 Apr 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 CET",
    "1994-11-06T08:49:37Z",
    ` ${date}`,
  ]) {
    it(`takes ${JSON.stringify(text)} for no date`, () => assert.equal(readHttpDate(text), null));
  }

  // RFC 9110 §5.6.7's own example.
  it("reads the form of RFC 9110", () => assert.equal(readHttpDate(date), 784_111_777_000));
});

describe("readRetryAfter", () => {
  for (const text of [undefined, "", "-1", "1.5", "soon", "0x10", "1 ", "Sun, 06 Nov 1994"]) {
    it(`understands nothing of ${JSON.stringify(text)}`, () => {
      assert.equal(readRetryAfter({ "retry-after": text, date }), undefined);
    });
  }

  it("understands no date without the server's own", () => {
    assert.equal(readRetryAfter({ "retry-after": date }), undefined);
  });

  it("reads seconds", () => assert.equal(readRetryAfter({ "retry-after": "120" }), 120));

  it("reads a date against the server's clock, not this device's", () => {
    assert.equal(readRetryAfter({ "retry-after": "Sun, 06 Nov 1994 08:51:37 GMT", date }), 120);
  });

  it("reads a date that is over as now", () => {
    assert.equal(readRetryAfter({ "retry-after": "Sun, 06 Nov 1994 08:00:00 GMT", date }), 0);
  });

  for (const text of ["86401", "9".repeat(400), "Sun, 06 Nov 2094 08:49:37 GMT"]) {
    it(`waits a day at most (${text.slice(0, 30)})`, () => {
      assert.equal(readRetryAfter({ "retry-after": text, date }), 86_400);
    });
  }

  it("gives whole seconds from 0 to a day or nothing, whatever comes", () => {
    for (const text of mutations(5_000, [
      "1",
      "9999999999",
      "-",
      ".",
      " ",
      date,
      "GMT",
      "e5",
      "\u0660",
      "Infinity",
    ])) {
      const seconds = readRetryAfter({ "retry-after": text, date }) ?? 0;
      assert.ok(Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400, `${text}: ${seconds}`);
    }
  });
});

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
