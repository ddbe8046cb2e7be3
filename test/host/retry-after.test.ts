import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutations } from "../../lab/basics/chance.ts";
import { readHttpDate, readRetryAfter } from "../../src/host/retry-after.ts";

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

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
