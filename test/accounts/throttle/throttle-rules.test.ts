import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inWords } from "../../../src/accounts/throttle/attempt.ts";
import {
  codeDelaySeconds,
  ownDelaySeconds,
  ownEnd,
  windowEnd,
} from "../../../src/accounts/throttle/throttle-rules.ts";

const at = 10_000;

// docs/design/throttling.md, rules 2 and 6: 5 failures, then 30 s doubling to 15 min; 10 wrong codes, 15 min to 4 h.
const delays: [what: string, delay: (failures: number) => number, seconds: Record<number, number>][] = [
  [
    "an account for a client",
    ownDelaySeconds,
    { 0: 0, 1: 0, 4: 0, 5: 30, 6: 60, 7: 120, 8: 240, 9: 480, 10: 900, 11: 900, 1000000: 900 },
  ],
  [
    "codes",
    codeDelaySeconds,
    { 9: 0, 10: 900, 11: 1_800, 12: 3_600, 13: 7_200, 14: 14_400, 15: 14_400, 1000000: 14_400 },
  ],
];
for (const [what, delay, table] of delays)
  for (const [failures, seconds] of Object.entries(table))
    it(`the delay of ${what} after ${failures} in a row is ${seconds} s`, () =>
      assert.equal(delay(Number(failures)), seconds));

describe("an account that strangers failed at so many times in a row", () => {
  for (const [strangers, own, seconds, name] of [
    [100, undefined, -at, "gives a strange client its first try at once"],
    [100, 1, 60, "gives it one a minute from then"],
    [100, 10, 900, "never shortens the delay that the client has earned itself"],
    [99, 1, 0, "is not so at 99"],
    [undefined, 1, 0, "is nothing to a known client, whose account row is not looked at"],
  ] as const)
    it(name, () => {
      const row = (failures: number | undefined) => (failures === undefined ? undefined : { failures, at });
      assert.equal(ownEnd(row(own), row(strangers)), at + seconds);
    });
});

describe("the window of a client", () => {
  const window = Array.from({ length: 20 }, (_, index) => at - 590 + index);

  it("has room for the 20th failure and not for the 21st, until the oldest is ten minutes old", () => {
    assert.equal(windowEnd(window.slice(1)), Number.NEGATIVE_INFINITY);
    assert.equal(windowEnd(window), at + 10);
    assert.equal(windowEnd([at - 599, ...window]), at + 10, "the latest twenty count");
  });
});

describe("a wait in words", () => {
  it("is never shorter than the wait", () => {
    const words = [1, 2, 119, 120, 121, 7_200, 7_201, 14_400].map(inWords).join(", ");
    const expected = "a second, 2 seconds, 119 seconds, 2 minutes, 3 minutes, 120 minutes, 3 hours, 4 hours";
    assert.equal(words, expected);
  });
});
