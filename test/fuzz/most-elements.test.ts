import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { testProgram } from "../../lab/basics/test-program.ts";
import { readings } from "../../lab/fuzz/most-elements.ts";
import type { Cost } from "../../lab/fuzz/most-elements-process.ts";

/** Milliseconds of a turn of the event loop, and MiB: an agent at rest takes 70 to 90 of the 256 that its unit has. */
const most = { longestTurn: 100, memory: 96 } as const;

const program = join(import.meta.dirname, "../../lab/fuzz/most-elements-process.ts");
const output = execFileSync(process.execPath, [...testProgram(program), scratchDirectory()], {
  stdio: ["ignore", "pipe", "inherit"],
  // It takes four seconds; a reader that does not end is a row that is missing.
  timeout: 180_000,
});
const costs = new Map(
  String(output)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Cost & { name: string })
    .map((cost) => [cost.name, cost]),
);

describe("the most elements that fit into the bytes of a reader, in work a turn and memory", () => {
  for (const { reader, input } of readings)
    it(`${reader}: ${input}`, () => {
      const { longestTurn, memory, outcome } = costs.get(`${reader}: ${input}`) ?? assert.fail("not read");
      const words = `${Math.round(longestTurn)} ms, ${Math.round(memory)} MiB: ${outcome}`;
      assert.ok(longestTurn <= most.longestTurn && memory <= most.memory, words);
      assert.doesNotMatch(outcome, /Error/, words);
    });
});
