import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { endOfSuite } from "../store/state-directory.ts";
import { type CrashBench, clock, createCrashBench, type Scenario } from "./lab/crash-bench.ts";
import { type CrashHarness, compileKillAt, createCrashHarness } from "./lab/crash-harness.ts";
import type { Device } from "./lab/device.ts";
import { eachAtOnce } from "./lab/each-at-once.ts";
import { quickDirectory } from "./lab/quick-directory.ts";

const atOnce = 2;

/** Nothing is killed by the host itself. */
const never = { at: 0, when: "before", log: null } as const;

/** One more flow: which scenario, below which of root's directories, and how many calls there are at least. */
interface Flow {
  readonly scenario: Scenario;
  readonly below: "releases" | "trust";
  readonly leastCalls: number;
}

/** An operation of the host is some calls to the system: temporary files, half-written ones, a rename, a flush. */
describe("root's side of an update, killed inside of its operations", () => {
  const suite = endOfSuite();
  let directory = "";
  let library = "";
  let harness: CrashHarness;
  let bench: CrashBench;

  before(async () => {
    directory = await quickDirectory(suite);
    library = compileKillAt(directory);
    harness = await createCrashHarness(directory);
    bench = await createCrashBench(suite, directory);
  });

  it("leaves the old rules or the new while it takes in a release: root's trust", async (test) => {
    await atEachCall(test, { scenario: await takenIn(), below: "trust", leastCalls: 30 });
  });

  it("leaves the old rules or the new while it takes in a release: trees, links and journal", async (test) => {
    await atEachCall(test, { scenario: await takenIn(), below: "releases", leastCalls: 30 });
  });

  it("leaves the new rules while the guard tries them: links and journal", async (test) => {
    const template = await bench.onTrial("rules", "2.0.0");
    const scenario = { ...(await takenIn()), template, order: { verb: "guard" }, ends: "new" } as const;
    await atEachCall(test, { scenario, below: "releases", leastCalls: 25 });
  });

  async function takenIn(): Promise<Scenario> {
    const change = {
      old: bench.published.release("rules", "1.0.0"),
      new: bench.published.release("rules", "2.0.0"),
    };
    const order = { verb: "put on trial", id: change.new.id } as const;
    const template = await bench.template();
    return { name: "rules taken in", kind: "rules", template, order, ...change, health: {}, ends: "old" };
  }

  async function atEachCall(test: { diagnostic(line: string): void }, flow: Flow): Promise<void> {
    const { scenario, below, leastCalls } = flow;
    const calls = await bench.undisturbed(scenario, (device) => callsOf(flow, device));
    assert.ok(calls.length >= leastCalls, `only ${calls.length} calls were counted`);
    const halves = calls.filter(isWrite).length;
    const sides = { old: 0, new: 0 };
    const points = calls.map((call, index) => ({ call, at: index + 1 }));
    await eachAtOnce(atOnce, points, async ({ call, at }) => {
      try {
        sides[await bench.survives(scenario, (device) => killed(flow, device, { at, call }))] += 1;
      } catch (cause) {
        throw new Error(`killed at call ${at}, ${call}`, { cause });
      }
    });
    const ends = `${sides.old} times the old release was current then, ${sides.new} times the new one`;
    test.diagnostic(
      `${calls.length} crash points below ${below}, ${halves} of them in the middle of a write: ${ends}`,
    );
  }

  async function callsOf(flow: Flow, device: Device): Promise<string[]> {
    const log = join(directory, `calls-${randomBytes(6).toString("hex")}`);
    const { code, output } = await start(flow, device, { KILL_AT_LOG: log });
    assert.equal(code, 0, `the run that counts: ${output}`);
    const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
    return lines.map((line) => bench.readable(line.replace(/^\d+ /, ""), device));
  }

  async function killed(
    flow: Omit<Flow, "leastCalls">,
    device: Device,
    { at, call }: { at: number; call: string },
  ): Promise<void> {
    const how = isWrite(call) ? "half" : "before";
    const { signal, output } = await start(flow, device, { KILL_AT_COUNT: String(at), KILL_AT_HOW: how });
    assert.equal(signal, "SIGKILL", `it was not killed: ${output}`);
  }

  function start(
    { scenario: { order }, below }: Omit<Flow, "leastCalls">,
    device: Device,
    more: Record<string, string>,
  ) {
    const request = { directory: device.directory, order, startSeconds: clock.crash, crash: never };
    return harness.run(request, {
      LD_PRELOAD: library,
      UV_USE_IO_URING: "0",
      KILL_AT_DIRECTORY: device.places[below],
      ...more,
    });
  }
});

function isWrite(call: string): boolean {
  return /write /.test(call);
}
