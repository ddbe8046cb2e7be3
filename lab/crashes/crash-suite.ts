import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { UpdateKind } from "../../src/releases/release.ts";
import { sampled } from "../basics/counts.ts";
import { endOfSuite } from "../basics/ending.ts";
import type { CrashPlan } from "../installer/crashing-host.ts";
import type { Device } from "../installer/device.ts";
import { quickDirectory } from "../installer/quick-directory.ts";
import { type CrashBench, clock, createCrashBench, type Scenario } from "./crash-bench.ts";
import type { CrashRequest } from "./crash-program.ts";
import { createKillable, type Ended, type Killable } from "./killable.ts";
import { sampledStates, type Watched } from "./power-cut.ts";

const atOnce = 2;

const guard = { verb: "guard" } as const;

type When = CrashPlan["when"];

/** Which side of an operation it is killed on; at one operation in how many, and in one of how many states. */
interface Kills {
  readonly when: When;
  readonly oneIn: number;
  readonly oneStateIn: number;
}

type Printer = { diagnostic(line: string): void };

/**
 * The installer with a release of this kind, ended in the middle: while one is verified, tried, undone, and rolled back. By
 * SIGKILL at some of its operations; and of rules, whose engine is a process of its own, at calls to the system too,
 * killed or without power, from one run that is held there.
 */
export function describeCrashPoints(kind: UpdateKind, kills: Kills): void {
  describe(`the installer of ${kind}, ended in the middle`, () => crashPoints(kind, kills));
}

function crashPoints(kind: UpdateKind, kills: Kills): void {
  const suite = endOfSuite();
  let program: Killable;
  let bench: CrashBench;
  const totals: number[] = [];

  before(async () => {
    const directory = await quickDirectory(suite);
    // A pump that was started goes on, and holds its pipes open.
    program = await createKillable(directory, join(import.meta.dirname, "crash-program.ts"), "exit");
    bench = await createCrashBench(suite, directory);
  });

  const upTo = (version: string): Pick<Scenario, "kind" | "old" | "new" | "health"> => ({
    ...{ kind, health: {} },
    old: bench.published.release(kind, "1.0.0"),
    new: bench.published.release(kind, version),
  });

  it(`leaves the old or the new ${kind}, whole and well: a release is taken in`, async (test) => {
    // A binary takes the same operations to the last one: no service is touched before the guard.
    if (kind === "binary") return test.diagnostic("binary taken in: as with rules");
    const order = { verb: "put on trial", id: bench.published.release(kind, "2.0.0").id } as const;
    const template = await bench.template();
    await atEach(test, { ...upTo("2.0.0"), name: `${kind} taken in`, ends: "old", template, order });
  });

  it(`leaves the new ${kind}, whole and well: the guard tries a good release`, async (test) => {
    const template = await bench.onTrial(kind, "2.0.0");
    await atEach(test, { ...upTo("2.0.0"), name: `${kind} tried`, ends: "new", template, order: guard });
  });

  it(`leaves the old ${kind}, whole and well: the guard undoes an unhealthy release`, async (test) => {
    const template = await bench.onTrial(kind, "2.1.0");
    const health = { interval: "500ms", within: "1s" };
    const name = `${kind} undone`;
    await atEach(test, { ...upTo("2.1.0"), name, ends: "old", template, order: guard, health });
  });

  it(`leaves the old or the new ${kind}, whole and well: a release is rolled back by hand`, async (test) => {
    const template = await bench.template();
    await bench.apply(template, kind, "2.0.0");
    const { new: left, old: back, ...others } = upTo("2.0.0");
    const order = { verb: "rollback", kind } as const;
    const name = `${kind} rolled back`;
    await atEach(test, { ...others, name, ends: "new", template, order, old: left, new: back });
  });

  it("applies an interrupted release again, also without a run of the guard in between", async () => {
    const order = { verb: "put on trial", id: bench.published.release(kind, "2.0.0").id } as const;
    const template = await bench.template();
    const scenario: Scenario = { ...upTo("2.0.0"), name: `${kind} again`, ends: "old", template, order };
    const side = await bench.survives(scenario, async (device) => {
      await killed(scenario, device, { at: "unpack ", when: "after" });
      await bench.apply(device, kind, "2.0.0");
    });
    assert.equal(side, "new");
  });

  it("has been ended in all of them", (test) => {
    const all = totals.reduce((sum, ends) => sum + ends, 0);
    test.diagnostic(`${all} different ends in all, every one survived`);
    assert.equal(totals.length, kind === "rules" ? 4 : 3, "scenarios that were run");
    assert.ok(all > 8, `only ${all} ends`);
  });

  /** Counts the operations of a run, then kills it at some of them; and looks at whatever else a run may leave. */
  async function atEach(test: Printer, scenario: Scenario): Promise<void> {
    const { operations, watched } = await bench.undisturbed(scenario, (device) => wholeRun(scenario, device));
    const places = operations.map((_, index) => index + 1);
    const at = sampled(places, { oneIn: kills.oneIn });
    await eachAtOnce(at, async (one) => {
      const where = `${scenario.name}, killed ${kills.when} ${one} ${operations[one - 1]}`;
      const side = await told(where, () =>
        bench.survives(scenario, async (device) => {
          const done = await killed(scenario, device, { at: one, when: kills.when });
          assert.deepEqual(done, operations.slice(0, one), "another run than the one that was counted");
        }),
      );
      test.diagnostic(`${where}: ${side}`);
    });
    totals.push(at.length + (watched ? await atEachCall(test, scenario, watched) : 0));
  }

  async function atEachCall(test: Printer, scenario: Scenario, watched: Watched<Ended>): Promise<number> {
    const { calls, points, states } = watched;
    const sides = { old: 0, new: 0 };
    const tried = sampledStates(states, kills.oneStateIn);
    await eachAtOnce(tried, async (state) => {
      const side = await told(`${scenario.name}, ${state.where}`, () => bench.recovers(scenario, state));
      sides[side] += 1;
    });
    test.diagnostic(
      `${scenario.name}: ${tried.length} of ${states.length} different states of ${points} points at ${calls.length} calls; ` +
        `${sides.old} times the old release was current then, ${sides.new} times the new one`,
    );
    return tried.length;
  }

  /** Nothing ends it; that of rules is held at each call. */
  async function wholeRun(scenario: Scenario, device: Device) {
    const words = wordsFor(scenario, device, { at: 0, when: "before" });
    const { directory, directories } = device;
    const below = [directories.releases, directories.trust];
    const watched = kind === "rules" ? await program.watch(words, { directory, below }) : null;
    const { code, output } = watched?.ended ?? (await program.run(words));
    assert.equal(code, 0, `the run that counts: ${output}`);
    return { operations: await operationsIn(device), watched };
  }

  /** Gives back the operations up to there. */
  async function killed(scenario: Scenario, device: Device, at: Omit<CrashPlan, "log">): Promise<string[]> {
    const { signal, output } = await program.run(wordsFor(scenario, device, at));
    assert.equal(signal, "SIGKILL", `it was not killed: ${output}`);
    return operationsIn(device);
  }

  async function operationsIn(device: Device): Promise<string[]> {
    const lines = (await readFile(logOf(device), "utf8")).trimEnd().split("\n");
    await rm(logOf(device));
    return lines.map((line) => bench.readable(line, device));
  }
}

/** It is beside the device, since every file in the device counts as left by the run. */
const logOf = ({ directory }: Pick<Device, "directory">): string => `${directory}.operations`;

function wordsFor({ order }: Scenario, { directory }: Device, at: Omit<CrashPlan, "log">): string[] {
  const crash = { ...at, log: logOf({ directory }) };
  return [JSON.stringify({ directory, order, startSeconds: clock.crash, crash } satisfies CrashRequest)];
}

/** Work for each, a few at once, as they come; with the first that fails all end. */
async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => {
        rest.length = 0;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function told<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
