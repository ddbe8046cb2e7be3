import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { testProgram } from "../../../lab/basics/test-program.ts";
import { settingCalls, traceClock } from "../../../lab/host/clock-calls.ts";
import { compiled } from "../../../lab/host/compiled.ts";
import { hostClock } from "../../../lab/host/host-clock.ts";
import type { DriverReport } from "./driver-process.ts";

const addonPath = join(import.meta.dirname, "../../../dist/clock-steering.node");

/** Whatever the test is about: a process under it could not set the clock if it tried. */
const withoutTimeCapability =
  "setpriv --inh-caps=-sys_time --bounding-set=-sys_time --ambient-caps=-sys_time".split(" ");
const unprivileged = process.getuid?.() === 0 ? withoutTimeCapability : [];

interface RunOptions {
  maySteer?: boolean;
  addon?: string;
  prefix?: readonly string[];
  environment?: Record<string, string>;
}

function openElsewhere(options: RunOptions = {}): DriverReport & { pid: number } {
  const question = { maySteer: options.maySteer ?? false, addonPath: options.addon ?? addonPath };
  const node = [process.execPath, ...testProgram(join(import.meta.dirname, "driver-process.ts"))];
  const [command = "", ...rest] = [...(options.prefix ?? []), ...unprivileged, ...node];
  const { stdout, stderr, pid } = spawnSync(command, [...rest, JSON.stringify(question)], {
    encoding: "utf8",
    env: { ...process.env, ...options.environment },
  });
  assert.ok(stdout, stderr);
  return { ...JSON.parse(stdout), pid };
}

const fourRefusals = ["forbidden", "forbidden", "forbidden", "forbidden"];

describe("the clock's driver", () => {
  describe("reading", () => {
    const driver = hostClock;

    it("gives the wall clock between two looks of ours, a hundred times", () => {
      for (let round = 0; round < 100; round += 1) {
        const before = Date.now();
        const { wallSeconds } = driver.read();
        const after = Date.now();
        assert.ok(wallSeconds * 1_000 > before - 0.001, `${wallSeconds} lies before ${before}`);
        assert.ok(wallSeconds * 1_000 < after + 1, `${wallSeconds} lies after ${after}`);
      }
    });

    it("gives the seconds since the boot that /proc/uptime shows", () => {
      const uptime = () => Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
      const before = uptime();
      const { monotonicSeconds } = driver.read();
      const after = uptime();
      assert.ok(monotonicSeconds >= before, `${monotonicSeconds} lies before ${before}`);
      // /proc/uptime cuts off at hundredths.
      assert.ok(monotonicSeconds < after + 0.01, `${monotonicSeconds} lies after ${after}`);
    });
  });

  describe("the kernel's state", () => {
    it("is what adjtimex(2) tells a program of ours", () => {
      const reader = compiled("read-kernel-clock.c", scratchDirectory());
      const truth = () => execFileSync(reader, { encoding: "utf8" }).trim().split(" ").map(Number);
      const [status = 0, leastError = 0, estError = 0, frequency = 0, tick = 0] = truth();
      const kernel = hostClock.kernel();
      const [, greatestError = 0] = truth();
      assert.ok(kernel, "the kernel's clock cannot be read");
      // STA_UNSYNC is 0x40; an unsteered kernel adds 500 µs a second to its greatest error.
      assert.equal(kernel.isSynchronised, (status & 0x40) === 0);
      assert.ok(kernel.maxErrorSeconds * 1e6 >= leastError - 0.5, `${kernel.maxErrorSeconds} s`);
      assert.ok(kernel.maxErrorSeconds * 1e6 <= greatestError + 0.5, `${kernel.maxErrorSeconds} s`);
      assert.ok(Math.abs(kernel.estErrorSeconds * 1e6 - estError) < 0.5, `${kernel.estErrorSeconds} s`);
      const frequencyPpm = frequency / 65_536 + (tick - 10_000) * 100;
      assert.ok(Math.abs(kernel.frequencyPpm - frequencyPpm) < 1e-6, `${kernel.frequencyPpm} ppm`);
    });

    const quiet = "STATUS=0 MAXERROR=1500 ESTERROR=20 FREQ=0 TICK=10000 SLEW=0 RESULT=0";
    const told = (text: string) =>
      Object.fromEntries(text.split(" ").map((one) => `TOLD_${one}`.split("=") as [string, string]));
    const expected = {
      isSynchronised: true,
      maxErrorSeconds: 0.0015,
      estErrorSeconds: 0.00002,
      frequencyPpm: 0,
      slewRemainingSeconds: 0,
      leap: "none",
    };
    // STA_UNSYNC 0x40, STA_INS 0x10, STA_DEL 0x20; results: TIME_INS 1, TIME_DEL 2, TIME_OOP 3, TIME_WAIT 4, TIME_ERROR 5.
    const cases: [string, string, Record<string, unknown>][] = [
      ["a synchronised clock", "STATUS=0", {}],
      ["no trust", "STATUS=64 RESULT=5 MAXERROR=16000000", { isSynchronised: false, maxErrorSeconds: 16 }],
      ["a frequency of −12.5 ppm", "FREQ=-819200", { frequencyPpm: -12.5 }],
      ["a frequency by the tick's length", "TICK=10002 FREQ=-819200", { frequencyPpm: 187.5 }],
      ["80 ms that are still to be added", "SLEW=80000", { slewRemainingSeconds: 0.08 }],
      ["a quarter of a second still to be taken away", "SLEW=-250000", { slewRemainingSeconds: -0.25 }],
      ["a leap second to come", "STATUS=16 RESULT=1", { leap: "insert" }],
      ["a second to be left out", "STATUS=32 RESULT=2", { leap: "delete" }],
      ["a leap second while it lasts", "STATUS=16 RESULT=3", { leap: "insert" }],
      ["a leap second that is over", "STATUS=16 RESULT=4", { leap: "none" }],
    ];
    let library = "";
    before(() => {
      library = compiled("told-kernel-clock.c", directory, ["-shared", "-fPIC"]);
    });
    const directory = scratchDirectory();
    const kernelTold = (text: string) =>
      openElsewhere({ environment: { ...told(quiet), ...told(text), LD_PRELOAD: library } }).kernel;
    for (const [name, text, difference] of cases)
      it(`is read: ${name}`, () => assert.deepEqual(kernelTold(text), { ...expected, ...difference }));

    it("is unknown where a sandbox keeps the call away", () => assert.equal(kernelTold("ERRNO=1"), null));
  });

  for (const [blocker, maySteer] of [
    ["not_asked_to", false],
    ["no_capability", true],
  ] as const)
    it(`says ${blocker}, refuses every steering call without a system call, and still reads`, async () => {
      const trace = traceClock(scratchDirectory());
      const report = openElsewhere({ maySteer, prefix: trace.prefix });
      assert.deepEqual([report.blocker, report.refusals], [blocker, fourRefusals]);
      assert.ok(report.kernel, "every user can read the kernel's clock");
      assert.deepEqual(await trace.settingCalls(report.pid), []);
      const reads = trace.calls().filter((line) => line.includes("clock_adjtime("));
      assert.equal(reads.length, 1, "the kernel's state was read once, and strace saw it");
    });

  describe("without its addon", () => {
    it("says so, tells of no failure, and reads to a millisecond", () => {
      const report = openElsewhere({ maySteer: true, addon: "/nowhere/clock-steering.node" });
      assert.deepEqual([report.blocker, report.kernel, report.failure], ["no_addon", null, null]);
      assert.deepEqual(report.refusals, fourRefusals);
      const milliseconds = report.reading.wallSeconds * 1_000;
      assert.ok(milliseconds > report.between[0] - 1, `${milliseconds} lies before ${report.between[0]}`);
      assert.ok(milliseconds < report.between[1] + 2, `${milliseconds} lies after ${report.between[1]}`);
      const unasked = openElsewhere({ addon: "/nowhere/clock-steering.node" });
      assert.deepEqual([unasked.blocker, unasked.refusals], ["not_asked_to", fourRefusals]);
    });

    it("is without one that is garbage, ends early or was made for another architecture, and says so", () => {
      const genuine = readFileSync(addonPath);
      // e_machine of the ELF header: 0xf3 is RISC-V.
      const foreign = Buffer.concat([genuine.subarray(0, 18), Buffer.of(0xf3, 0), genuine.subarray(20)]);
      for (const [bytes, complaint] of [
        [Buffer.alloc(0), /too short/],
        [Buffer.from("#!/bin/sh\necho no addon\n".repeat(100)), /truncated|invalid ELF header/],
        [genuine.subarray(0, 64), /truncated/],
        [foreign, /ELF|machine|architecture|cannot open/],
      ] as const) {
        const addon = join(scratchDirectory(), "clock-steering.node");
        writeFileSync(addon, bytes);
        const report = openElsewhere({ maySteer: true, addon });
        assert.equal(report.blocker, "no_addon");
        assert.match(report.failure ?? "", complaint);
      }
    });
  });
});

describe("the trace of clock-setting calls", () => {
  const read = "7 clock_adjtime(CLOCK_REALTIME, {modes=0, offset=0, freq=0}) = 5 (TIME_ERROR)";
  const setting = [
    "7 clock_adjtime(CLOCK_REALTIME, {modes=ADJ_SETOFFSET|ADJ_NANO, offset=0, freq=0}) = 0 (TIME_OK)",
    "7 <... clock_adjtime resumed>{modes=ADJ_OFFSET_SINGLESHOT, offset=8}) = 0 (TIME_OK)",
    "7 adjtimex({modes=ADJ_FREQUENCY, offset=0, freq=65536}) = -1 EPERM (Operation not permitted)",
    "7 clock_settime(CLOCK_REALTIME, {tv_sec=1, tv_nsec=0}) = 0",
    "7 settimeofday({tv_sec=1, tv_usec=0}, NULL) = 0",
    "7 clock_adjtime(CLOCK_REALTIME, 0x7ffd4a3c) = -1 EPERM (Operation not permitted)",
  ];
  it("overlooks none", () => {
    for (const line of setting)
      assert.deepEqual(settingCalls([read, line, "7 +++ exited with 0 +++"]), [line]);
  });
});
