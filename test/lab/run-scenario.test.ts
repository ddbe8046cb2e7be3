import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import type { Message } from "../../lab/machines/messages.ts";
import { type Machine, runBoots } from "../../lab/machines/run-scenario.ts";
import type { HostSide } from "../../lab/machines/scenario.ts";

const directory = scratchDirectory();

const host: HostSide = {
  servers: { start: async () => undefined, stopAll: () => undefined },
  get publisher(): never {
    throw new Error("there is none");
  },
};

const begin: Message = { kind: "begin", boot: 0 };
const end: Message = { kind: "end", error: null };
const check = (passed: boolean): Message => ({ kind: "check", name: "it is so", passed, detail: "" });
const panic = "panic";

/** Runs a scenario of one boot on machines that say this at each start, or panic; the last one again and again. */
async function run(starts: readonly (readonly Message[] | typeof panic)[], bootSeconds = 1) {
  const answers: string[] = [];
  let started = 0;
  const start = (): Machine => {
    const says = starts[Math.min(started, starts.length - 1)] ?? panic;
    started += 1;
    return {
      lines: (async function* () {
        if (says !== panic) for (const message of says) yield JSON.stringify(message);
      })(),
      answer: (line) => answers.push(line),
      kill: async () => undefined,
      ended: Promise.resolve(),
      age: () => bootSeconds,
      hasPanickedEarly: () => says === panic,
    };
  };
  const scenario = { title: "a scenario", timeoutSeconds: 60, boots: [{ run: async () => undefined }] };
  const options = { name: "it", scenario, directory, start, quietBootSeconds: 10, say: () => undefined };
  return { isPassed: await runBoots(options, host), started, answers };
}

describe("a scenario", () => {
  for (const [name, starts, ...expected] of [
    ["passes when each check of its boots was so", [[begin, check(true), end]], true, 1],
    [
      "is not tried again when a check has failed",
      [
        [begin, check(false), end],
        [begin, end],
      ],
      false,
      1,
    ],
    [
      "is not tried again when it has thrown",
      [
        [begin, { ...end, error: "no" }],
        [begin, end],
      ],
      false,
      1,
    ],
    [
      "is not tried again when it has not ended",
      [
        [begin, check(true)],
        [begin, end],
      ],
      false,
      1,
    ],
    [
      "is booted once more when the kernel panicked before it had started a process",
      [panic, [begin, end]],
      true,
      2,
    ],
    ["has failed when it panics again", [panic], false, 2],
  ] as const)
    it(name, async () => {
      const { isPassed, started } = await run(starts);
      assert.deepEqual([isPassed, started], expected);
    });

  it("is given the factor by which the boot was slower than on a quiet machine, which is never below 1", async () => {
    assert.deepEqual((await run([[begin, end]], 35)).answers, ['{"value":3.5}']);
    assert.deepEqual((await run([[begin, end]], 2)).answers, ['{"value":1}']);
  });
});

it("the virtual machine's kernel does not test its timer, which a busy host makes fail", () => {
  const text = readFileSync(join(import.meta.dirname, "../../lab/machines/vm/machine.ts"), "utf8");
  assert.match(text, /^ +"no_timer_check",$/m);
});
