import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { before, describe, it } from "node:test";
import type { UpdateKind } from "../../src/releases/release.ts";
import { sampled } from "../basics/counts.ts";
import { endOfSuite } from "../basics/ending.ts";
import type { CrashPlan } from "../installer/crashing-host.ts";
import type { Device } from "../installer/device.ts";
import { eachAtOnce } from "../installer/each-at-once.ts";
import { quickDirectory } from "../installer/quick-directory.ts";
import { type CrashBench, clock, createCrashBench, type Scenario } from "./crash-bench.ts";
import { type CrashHarness, createCrashHarness, type Ended } from "./crash-harness.ts";
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
  let harness: CrashHarness;
  let bench: CrashBench;
  const totals: number[] = [];

  before(async () => {
    const directory = await quickDirectory(suite);
    harness = await createCrashHarness(directory);
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
    await atEach(test, {
      ...{ ...upTo("2.0.0"), name: `${kind} taken in`, ends: "old", template: await bench.template() },
      order: { verb: "put on trial", id: bench.published.release(kind, "2.0.0").id },
    });
  });

  it(`leaves the new ${kind}, whole and well: the guard tries a good release`, async (test) => {
    const template = await bench.onTrial(kind, "2.0.0");
    await atEach(test, {
      ...{ ...upTo("2.0.0"), name: `${kind} tried`, ends: "new", template, order: guard },
    });
  });

  it(`leaves the old ${kind}, whole and well: the guard undoes an unhealthy release`, async (test) => {
    const template = await bench.onTrial(kind, "2.1.0");
    await atEach(test, {
      ...{ ...upTo("2.1.0"), name: `${kind} undone`, ends: "old", template, order: guard },
      health: { interval: "500ms", within: "1s" },
    });
  });

  it(`leaves the old or the new ${kind}, whole and well: a release is rolled back by hand`, async (test) => {
    const template = await bench.template();
    await bench.apply(template, kind, "2.0.0");
    await atEach(test, {
      ...{ kind, name: `${kind} rolled back`, ends: "new", template, health: {} },
      order: { verb: "rollback", kind },
      old: bench.published.release(kind, "2.0.0"),
      new: bench.published.release(kind, "1.0.0"),
    });
  });

  it("applies an interrupted release again, also without a run of the guard in between", async () => {
    const scenario: Scenario = {
      ...{ kind, name: `${kind} taken in again`, ends: "old", health: {} },
      template: await bench.template(),
      order: { verb: "put on trial", id: bench.published.release(kind, "2.0.0").id },
      old: bench.published.release(kind, "1.0.0"),
      new: bench.published.release(kind, "2.0.0"),
    };
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
    await eachAtOnce(atOnce, at, async (one) => {
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
    await eachAtOnce(atOnce, tried, async (state) => {
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
    const request = requestOf(scenario, device, { at: 0, when: "before" });
    const watched = kind === "rules" ? await harness.watch(device, request) : null;
    const { code, output } = watched?.ended ?? (await harness.run(request));
    assert.equal(code, 0, `the run that counts: ${output}`);
    return { operations: await operationsIn(device), watched };
  }

  /** Gives back the operations up to there. */
  async function killed(scenario: Scenario, device: Device, at: Omit<CrashPlan, "log">): Promise<string[]> {
    const { signal, output } = await harness.run(requestOf(scenario, device, at));
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

function requestOf({ order }: Scenario, { directory }: Device, at: Omit<CrashPlan, "log">) {
  return { directory, order, startSeconds: clock.crash, crash: { ...at, log: logOf({ directory }) } };
}

async function told<T>(where: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${where}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
