import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { limitMemory, unitMemoryMiB } from "../../lab/basics/memory-limit.ts";

it("a limit of memory, as the unit has it, ends what takes more, counts it, and goes with its processes", (test) => {
  assert.equal(unitMemoryMiB, 256);
  const limit = limitMemory(96);
  if (limit === null) return test.skip("this user may make no control group");
  const [program = "", ...words] = limit.prefix;
  /** Takes so many MiB, touches each page, and ends well if it may. */
  const take = (mebibytes: number) =>
    spawnSync(program, [...words, process.execPath, "-e", `Buffer.alloc(${mebibytes} * 1024 ** 2, 1)`]);
  assert.deepEqual([take(8).status, limit.kills()], [0, 0]);
  assert.deepEqual([take(512).signal, limit.kills()], ["SIGKILL", 1]);
  limit.remove();
  assert.notEqual(take(8).status, 0);
});
