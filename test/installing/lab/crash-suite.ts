import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { UpdateKind } from "../../../src/updates/release.ts";
import { endOfSuite } from "../../store/state-directory.ts";
import { type CrashBench, clock, createCrashBench, type Scenario, type Side } from "./crash-bench.ts";
import { type CrashHarness, createCrashHarness } from "./crash-harness.ts";
import type { CrashPlan } from "./crashing-host.ts";
import type { Device } from "./device.ts";
import { eachAtOnce } from "./each-at-once.ts";
import { quickDirectory } from "./quick-directory.ts";

const atOnce = 2;

const guard = { verb: "guard" } as const;

type When = CrashPlan["when"];

/** What is current after the recovery, by the side of the operation that it was killed on. */
interface Row {
  readonly operation: string;
  readonly outcomes: Partial<Record<When, Side>>;
}

type Printer = { diagnostic(line: string): void };

/**
 * Counts the operations of root's side with a release of this kind, and kills it on these sides of each one of them: while
 * one is taken in, tried, undone, and rolled back.
 */
export function describeCrashPoints(kind: UpdateKind, sides: readonly When[]): void {
  describe(`root's side of an update of ${kind}, killed at each operation`, () => crashPoints(kind, sides));
}

function crashPoints(kind: UpdateKind, sides: readonly When[]): void {
  const suite = endOfSuite();
  let harness: CrashHarness;
  let bench: CrashBench;
  const totals: { name: string; operations: number; points: number }[] = [];

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
    // Of a binary it is the same operations to the last one: no service is touched before the guard.
    if (kind === "binary") return test.diagnostic("binary taken in: as with rules");
    await atEach(test, sides, {
      ...{ ...upTo("2.0.0"), name: `${kind} taken in`, ends: "old", template: await bench.template() },
      order: { verb: "put on trial", id: bench.published.release(kind, "2.0.0").id },
    });
  });

  it(`leaves the new ${kind}, whole and well: the guard tries a good release`, async (test) => {
    const template = await bench.onTrial(kind, "2.0.0");
    await atEach(test, sides, {
      ...{ ...upTo("2.0.0"), name: `${kind} tried`, ends: "new", template, order: guard },
    });
  });

  it(`leaves the old ${kind}, whole and well: the guard undoes an unhealthy release`, async (test) => {
    const template = await bench.onTrial(kind, "2.1.0");
    await atEach(test, sides, {
      ...{ ...upTo("2.1.0"), name: `${kind} undone`, ends: "old", template, order: guard },
      health: { interval: "500ms", within: "1s" },
    });
  });

  it(`leaves the old or the new ${kind}, whole and well: a release is rolled back by hand`, async (test) => {
    const template = await bench.template();
    await bench.apply(template, kind, "2.0.0");
    await atEach(test, sides, {
      ...{ kind, name: `${kind} rolled back`, ends: "new", template, health: {} },
      order: { verb: "rollback", kind },
      old: bench.published.release(kind, "2.0.0"),
      new: bench.published.release(kind, "1.0.0"),
    });
  });

  it("takes in again what was cut short, also when nobody has run the guard in between", async () => {
    const scenario: Scenario = {
      ...{ kind, name: `${kind} taken in again`, ends: "old", health: {} },
      template: await bench.template(),
      order: { verb: "put on trial", id: bench.published.release(kind, "2.0.0").id },
      old: bench.published.release(kind, "1.0.0"),
      new: bench.published.release(kind, "2.0.0"),
    };
    const operations = await bench.undisturbed(scenario, (device) => operationsOf(scenario, device));
    const at = operations.findIndex((operation) => operation.startsWith("unpack ")) + 1;
    assert.ok(at > 0, "nothing was unpacked");
    const side = await bench.survives(scenario, async (device) => {
      await killed(scenario, device, { at, when: "after" });
      await bench.apply(device, kind, "2.0.0");
    });
    assert.equal(side, "new");
  });

  it("has killed it at all of them", (test) => {
    for (const { name, operations, points } of totals) {
      test.diagnostic(`${name}: ${points} crash points at ${operations} operations`);
    }
    const all = totals.reduce((sum, { points }) => sum + points, 0);
    test.diagnostic(`${all} crash points in all, every one survived`);
    assert.equal(totals.length, kind === "rules" ? 4 : 3, "scenarios that were run");
    assert.ok(all > 60, `only ${all} crash points`);
  });

  /** Counts the operations of a run, then kills it on these sides of each of them. */
  async function atEach(test: Printer, sides: readonly When[], scenario: Scenario): Promise<void> {
    const operations = await bench.undisturbed(scenario, (device) => operationsOf(scenario, device));
    const rows: Row[] = operations.map((operation) => ({ operation, outcomes: {} }));
    const points = rows.flatMap((row, index) => sides.map((when) => ({ row, when, at: index + 1 })));
    await eachAtOnce(atOnce, points, async ({ row, when, at }) => {
      try {
        row.outcomes[when] = await bench.survives(scenario, (device) =>
          killed(scenario, device, { at, when }),
        );
      } catch (cause) {
        throw new Error(`${scenario.name}, killed ${when} ${at} ${row.operation}`, { cause });
      }
    });
    for (const line of table(scenario.name, rows)) test.diagnostic(line);
    totals.push({ name: scenario.name, operations: rows.length, points: points.length });
    const past = await bench.undisturbed(scenario, (device) =>
      harness.run(requestOf(scenario, device, { at: rows.length + 1, when: "before", log: null })),
    );
    assert.equal(past.signal, null, "there are more operations than were counted");
  }

  async function operationsOf(scenario: Scenario, device: Device): Promise<string[]> {
    const log = join(device.directory, "operations");
    const { code, output } = await harness.run(requestOf(scenario, device, { at: 0, when: "before", log }));
    assert.equal(code, 0, `the run that counts: ${output}`);
    const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
    await rm(log);
    return lines.map((line) => bench.readable(line, device));
  }

  async function killed(scenario: Scenario, device: Device, at: Omit<CrashPlan, "log">): Promise<void> {
    const { signal, output } = await harness.run(requestOf(scenario, device, { ...at, log: null }));
    assert.equal(signal, "SIGKILL", `it was not killed: ${output}`);
  }
}

function requestOf({ order }: Scenario, { directory }: Device, crash: CrashPlan) {
  return { directory, order, startSeconds: clock.crash, crash };
}

/** A line for each operation. */
function table(name: string, rows: readonly Row[]): string[] {
  return rows.map(({ operation, outcomes }, index) => {
    const { before, after } = outcomes;
    const sides = [before && `before: ${before}`, after && `after: ${after}`].filter(Boolean);
    return `${name} ${String(index + 1).padStart(2)}  ${sides.join(", ")}  ok  ${operation}`;
  });
}
