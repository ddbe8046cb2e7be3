import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutations } from "../../lab/basics/chance.ts";
import { readHttpDate, readRetryAfter } from "../../src/host/retry-after.ts";

const date = "Sun, 06 Nov 1994 08:49:37 GMT";

it("an HTTP date has the form of RFC 9110, and no other", () => {
  // RFC 9110 §5.6.7's own example.
  assert.equal(readHttpDate(date), 784_111_777_000);
  for (const text of [
    ...[undefined, "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", ` ${date}`],
    ...["Sun, 31 Apr 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "1994-11-06T08:49:37Z"],
  ])
    assert.equal(readHttpDate(text), null, text);
});

describe("readRetryAfter", () => {
  // A date counts against the server's clock, not this device's; one that is over is now, and a day is the most.
  const rows: [string | undefined, number | undefined][] = [
    ["120", 120],
    ["Sun, 06 Nov 1994 08:51:37 GMT", 120],
    ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
    ...["86401", "9".repeat(400), "Sun, 06 Nov 2094 08:49:37 GMT"].map((text): [string, number] => [
      text,
      86_400,
    ]),
    ...[undefined, "", "-1", "1.5", "soon", "0x10", "1 ", "Sun, 06 Nov 1994"].map(
      (text): [string | undefined, undefined] => [text, undefined],
    ),
  ];
  for (const [text, seconds] of rows)
    it(`reads ${JSON.stringify(text)?.slice(0, 40)} as ${seconds}`, () => {
      assert.equal(readRetryAfter({ "retry-after": text, date }), seconds);
    });

  it("understands no date without the server's own", () => {
    assert.equal(readRetryAfter({ "retry-after": date }), undefined);
  });

  it("gives whole seconds from 0 to a day or nothing, whatever comes", () => {
    const pieces = ["1", "9999999999", "-", ".", " ", date, "GMT", "e5", "\u0660", "Infinity"];
    for (const text of mutations(5_000, pieces)) {
      const seconds = readRetryAfter({ "retry-after": text, date }) ?? 0;
      assert.ok(Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400, `${text}: ${seconds}`);
    }
  });
});
