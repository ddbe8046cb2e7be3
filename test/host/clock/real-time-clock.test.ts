import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { readRealTimeClock } from "../../../src/host/linux/clock/real-time-clock.ts";

describe("the battery-backed clock", () => {
  // date -u -d @1577836800: 2020-01-01.
  const texts: [string | null, Date | null][] = [
    ["1577836800\n", new Date("2020-01-01T00:00:00Z")],
    ...[null, "", "\n", "-5\n", "soon\n", "1577836800.5\n", "1577836800 1\n", "99999999999999999999\n"].map(
      (text): [string | null, null] => [text, null],
    ),
  ];
  for (const [text, expected] of texts)
    it(`is ${expected?.toISOString() ?? "none"} where the kernel says ${JSON.stringify(text)}`, () => {
      const path = join(scratchDirectory(), "since_epoch");
      if (text !== null) writeFileSync(path, text);
      assert.deepEqual(readRealTimeClock(path), expected);
    });
});
