import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { readRealTimeClock } from "../../../src/host/linux/clock/real-time-clock.ts";

function fileWith(text: string): string {
  const directory = scratchDirectory();
  writeFileSync(join(directory, "since_epoch"), text);
  return join(directory, "since_epoch");
}

describe("the battery-backed clock", () => {
  it("is read in seconds since 1970", async () => {
    // date -u -d @1577836800: 2020-01-01.
    assert.deepEqual(readRealTimeClock(fileWith("1577836800\n")), new Date("2020-01-01T00:00:00Z"));
  });

  it("is none where there is no such file", async () => {
    assert.equal(readRealTimeClock("/nowhere/since_epoch"), null);
  });

  for (const text of [
    "",
    "\n",
    "-5\n",
    "soon\n",
    "1577836800.5\n",
    "1577836800 1\n",
    "99999999999999999999\n",
  ]) {
    it(`is none where the kernel says ${JSON.stringify(text)}`, async () => {
      assert.equal(readRealTimeClock(fileWith(text)), null);
    });
  }
});
