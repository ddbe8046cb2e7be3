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

/** At one start of a machine its guest part says this, after a boot of so long, or its kernel gives up. */
interface Start {
  readonly says: readonly Message[];
  readonly bootSeconds?: number;
  readonly panics?: boolean;
}

const begin: Message = { kind: "begin", boot: 0 };
const end: Message = { kind: "end", error: null };
const check = (passed: boolean): Message => ({ kind: "check", name: "it is so", passed, detail: "" });
const panic: Start = { says: [], panics: true };

/** Runs a scenario of one boot on machines that start so; the last one again and again. */
async function run(...starts: readonly Start[]) {
  const answers: string[] = [];
  let started = 0;
  const start = (): Machine => {
    const { says, bootSeconds = 1, panics = false } = starts[Math.min(started, starts.length - 1)] ?? panic;
    started += 1;
    return {
      lines: (async function* () {
        for (const message of says) yield JSON.stringify(message);
      })(),
      answer: (line) => answers.push(line),
      kill: async () => undefined,
      ended: Promise.resolve(),
      age: () => bootSeconds,
      hasPanickedEarly: () => panics,
    };
  };
  const scenario = { title: "a scenario", timeoutSeconds: 60, boots: [{ run: async () => undefined }] };
  const say = () => undefined;
  const isPassed = await runBoots(
    { name: "it", scenario, directory, start, quietBootSeconds: 10, say },
    host,
  );
  return { isPassed, started, answers };
}

describe("a scenario", () => {
  it("passes when each check of its boots was so", async () => {
    const { isPassed, started } = await run({ says: [begin, check(true), end] });
    assert.deepEqual({ isPassed, started }, { isPassed: true, started: 1 });
  });

  it("is never tried again when it has failed", async () => {
    for (const says of [
      [begin, check(false), end],
      [begin, { ...end, error: "thrown" }],
      [begin, check(true)],
    ] satisfies Message[][]) {
      const { isPassed, started } = await run({ says }, { says: [begin, end] });
      assert.deepEqual({ isPassed, started }, { isPassed: false, started: 1 });
    }
  });

  it("is booted once more when the kernel panicked before it had started a process", async () => {
    const { isPassed, started } = await run(panic, { says: [begin, end] });
    assert.deepEqual({ isPassed, started }, { isPassed: true, started: 2 });
  });

  it("has failed when it panics again", async () => {
    const { isPassed, started } = await run(panic);
    assert.deepEqual({ isPassed, started }, { isPassed: false, started: 2 });
  });
});

describe("the guest part of a boot", () => {
  it("is told by which factor the boot was slower than on a quiet machine", async () => {
    const { answers } = await run({ says: [begin, end], bootSeconds: 35 });
    assert.deepEqual(answers, ['{"value":3.5}']);
  });

  it("is never told to hurry", async () => {
    const { answers } = await run({ says: [begin, end], bootSeconds: 2 });
    assert.deepEqual(answers, ['{"value":1}']);
  });
});

describe("the virtual machine's kernel", () => {
  it("does not test its timer, which a busy host makes fail", () => {
    const text = readFileSync(join(import.meta.dirname, "../../lab/machines/vm/machine.ts"), "utf8");
    assert.match(text, /^ +"no_timer_check",$/m);
  });
});
