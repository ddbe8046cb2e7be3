import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { compileKillAt, watchRun } from "../../../lab/crashes/power-cut.ts";
import { RecordedDevice } from "../../../lab/state/recorded-history.ts";
import { bundleFixture } from "../../../lab/state/state-directory.ts";

describe("a history whose power is cut", () => {
  it("is found as it was last written, whole, at any call, and what was half written is removed", async (test) => {
    const place = await temporaryDirectory(test);
    const directory = await temporaryDirectory(test);
    const program = await bundleFixture(place, "history-writer");
    const start = (environment: Record<string, string>): Promise<number | null> => {
      const env = { ...process.env, ...environment };
      const child = spawn(process.execPath, [program, directory], { env, stdio: "inherit" });
      return new Promise((resolve) => child.once("close", resolve));
    };
    const library = compileKillAt(place);
    const run = { library, directory, start, note: () => null, concerns: /./ };
    const { ended, calls, points, states } = await watchRun(run);
    assert.equal(ended, 0);
    const seen = new Set<number>();
    for (const state of states) {
      const left = join(await temporaryDirectory(test), "left");
      state.put(left);
      const device = new RecordedDevice(left);
      device.minute = 190;
      const found = (await device.points()).map(({ said }) => said);
      assert.deepEqual(
        found,
        Array.from(found, (_, index) => index * 5),
        state.where,
      );
      seen.add(found.length);
      await device.run(70);
      await device.close();
      assert.deepEqual([device.warnings, await readdir(left)], [[], ["history.bin"]], state.where);
    }
    // Nothing, the writes of three hours, and the one at the end.
    const all = [...seen].toSorted((one, other) => one - other);
    assert.deepEqual(all, [0, 13, 25, 37, 38]);
    test.diagnostic(`${states.length} different states of ${points} points at ${calls.length} calls`);
  });
});
