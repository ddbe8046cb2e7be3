import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { openTimeFloor } from "../../../src/installer/verify/time-floor.ts";

const built = "2026-11-01T00:00:00.000Z";
const december = "2026-12-01T00:00:00.000Z";
const dayLater = "2026-12-02T00:00:00.000Z";
const back = "2020-01-01T00:00:00Z";

/** The clocks at one run of the helper: wall clock, uptime (s), boot; and what is raised: all that is known then, or a date. */
type Run = readonly [wall: string, uptime: number, bootId: string, raised?: "now" | string];

const floorAt = (directory: string, [wall, uptime, bootId]: Run) =>
  openTimeFloor({
    ...{ directory, builtAt: new Date(built), wall: () => new Date(wall) },
    ...{ uptime: () => uptime, bootId },
  });

const first: Run = [december, 500, "one", "now"];
const rows: readonly (readonly [name: string, runs: readonly Run[], floor: string])[] = [
  ["is the date of the build where nothing is known yet", [[back, 500, "one"]], built],
  ["goes by the wall clock where that is ahead", [[december, 500, "one"]], december],
  ["does not follow a clock that is set back in the same boot", [first, [back, 500, "one"]], december],
  ["nor in another", [first, [back, 3, "two"]], december],
  ["goes on with monotonic time in the same boot", [first, [back, 86_900, "one"]], dayLater],
  ["and not with that of another", [first, [back, 86_900, "two"]], december],
  ["keeps what that had come to", [first, [back, 86_900, "one", "now"], [back, 3, "two"]], dayLater],
  ["never falls", [first, [december, 500, "one", "2026-11-15T00:00:00Z"], [back, 3, "two"]], december],
  [
    "does not rise by the clock alone",
    [
      ["2040-01-01T00:00:00Z", 500, "one"],
      [back, 500, "one"],
    ],
    built,
  ],
];

describe("the time floor of the installer", () => {
  for (const [name, runs, expected] of rows)
    it(name, async (test) => {
      const directory = await temporaryDirectory(test);
      let now = "";
      for (const run of runs) {
        const floor = await floorAt(directory, run);
        now = floor.now().toISOString();
        const [, , , raised] = run;
        if (raised !== undefined) await floor.raise(raised === "now" ? floor.now() : new Date(raised));
      }
      assert.equal(now, expected);
      // A mere verification is not kept.
      if (!runs.some(([, , , raised]) => raised)) assert.deepEqual(await readdir(directory), []);
    });

  const damaged = ["", "{", "null", "[]", '{"floor": 5}', '{"floor": 2040}'];
  for (const text of [...damaged, '{"floor": "soon", "boot_id": "one", "uptime": 1}'])
    it(`begins anew from a file that the disk has damaged: ${JSON.stringify(text)}`, async (test) => {
      const directory = await temporaryDirectory(test);
      await writeFile(join(directory, "time-floor.json"), text);
      assert.equal((await floorAt(directory, [back, 500, "one"])).now().toISOString(), built);
    });
});
