import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { limitMemory, unitMemoryMiB } from "../../lab/basics/memory-limit.ts";

/** Takes so many MiB, touches each page, and ends well if it may. */
const taking = (mebibytes: number) => `Buffer.alloc(${mebibytes} * 1024 ** 2, 1)`;

describe("a limit of memory as a unit has it", () => {
  it("is read from the agent's unit", () => {
    assert.equal(unitMemoryMiB, 256);
  });

  it("ends what takes more, counts it, and goes with its processes", (test) => {
    const limit = limitMemory(96);
    if (limit === null) return test.skip("this user may make no control group");
    const [program = "", ...words] = limit.prefix;
    const run = (code: string) => spawnSync(program, [...words, process.execPath, "-e", code]);
    assert.equal(run(taking(8)).status, 0);
    assert.equal(limit.kills(), 0);
    assert.equal(run(taking(512)).signal, "SIGKILL");
    assert.equal(limit.kills(), 1);
    limit.remove();
    assert.notEqual(run(taking(8)).status, 0);
  });
});
