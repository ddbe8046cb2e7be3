import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inWords } from "../../../src/accounts/throttle/attempt.ts";
import {
  codeDelaySeconds,
  ownDelaySeconds,
  type PastFailures,
  waitSeconds,
} from "../../../src/accounts/throttle/throttle-rules.ts";

const none: PastFailures = { own: undefined, account: undefined, window: [] };
const now = 10_000;

describe("the delay of an account for a client", () => {
  // docs/design/throttling.md, rule 2: 5 failures, then 30 s doubling to 15 min.
  const table: [number, number][] = [
    [0, 0],
    [1, 0],
    [4, 0],
    [5, 30],
    [6, 60],
    [7, 120],
    [8, 240],
    [9, 480],
    [10, 900],
    [11, 900],
    [1_000_000, 900],
  ];
  for (const [failures, seconds] of table) {
    it(`after ${failures} failures in a row is ${seconds} s`, () => {
      assert.equal(ownDelaySeconds(failures), seconds);
      assert.equal(waitSeconds({ ...none, own: { failures, at: now } }, now), seconds);
      assert.equal(waitSeconds({ ...none, own: { failures, at: now - seconds } }, now), 0);
    });
  }
});

describe("the lock of codes", () => {
  // docs/design/throttling.md, rule 6: 10 wrong codes in a row: 15 min, doubling to 4 h.
  const table: [number, number][] = [
    [9, 0],
    [10, 900],
    [11, 1_800],
    [12, 3_600],
    [13, 7_200],
    [14, 14_400],
    [15, 14_400],
    [1_000_000, 14_400],
  ];
  for (const [failures, seconds] of table) {
    it(`after ${failures} in a row is ${seconds} s`, () => assert.equal(codeDelaySeconds(failures), seconds));
  }
});

describe("an account that strangers failed at a hundred times in a row", () => {
  const account = { failures: 100, at: now };

  it("gives a strange client its first try at once, and one a minute from then", () => {
    assert.equal(waitSeconds({ ...none, account }, now), 0);
    assert.equal(waitSeconds({ ...none, account, own: { failures: 1, at: now } }, now), 60);
    assert.equal(waitSeconds({ ...none, account, own: { failures: 1, at: now } }, now + 60), 0);
  });

  it("never shortens the delay that the client has earned itself", () => {
    assert.equal(waitSeconds({ ...none, account, own: { failures: 10, at: now } }, now), 900);
  });

  it("is not so at 99", () => {
    const past = { ...none, account: { failures: 99, at: now }, own: { failures: 1, at: now } };
    assert.equal(waitSeconds(past, now), 0);
  });

  it("is nothing to a known client, whose account row is not looked at", () => {
    assert.equal(waitSeconds({ ...none, own: { failures: 1, at: now } }, now), 0);
  });
});

describe("the window of a client", () => {
  const window = Array.from({ length: 20 }, (_, index) => now - 590 + index);

  it("has room for the 20th failure and not for the 21st, until the oldest is ten minutes old", () => {
    assert.equal(waitSeconds({ ...none, window: window.slice(1) }, now), 0);
    assert.equal(waitSeconds({ ...none, window }, now), 10);
    assert.equal(waitSeconds({ ...none, window }, now + 10), 0);
  });

  it("counts the latest twenty", () => {
    assert.equal(waitSeconds({ ...none, window: [now - 599, ...window] }, now), 10);
  });
});

describe("a wait in words", () => {
  it("is never shorter than the wait", () => {
    const words = [1, 2, 119, 120, 121, 7_200, 7_201, 14_400].map(inWords);
    assert.deepEqual(words, [
      ...[
        "a second",
        "2 seconds",
        "119 seconds",
        "2 minutes",
        "3 minutes",
        "120 minutes",
        "3 hours",
        "4 hours",
      ],
    ]);
  });
});
