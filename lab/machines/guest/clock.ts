import { median } from "../../basics/quantile.ts";
import { clockProgram } from "./clock-program.ts";
import { runCommand } from "./command.ts";

/** The kernel's clock as adjtimex(2) reads it. */
export interface KernelClock {
  readonly synchronised: boolean;
  readonly frequencyPpm: number;
  readonly maxErrorSeconds: number;
  readonly estErrorSeconds: number;
  /** The rest of a running slew by ADJ_OFFSET; not of SINGLESHOT. */
  readonly offsetSeconds: number;
  readonly status: number;
}

/** The behaviour of CLOCK_REALTIME in a run of samples of clock_gettime(2). */
export interface ClockSamples {
  readonly count: number;
  /** The number of samples that were earlier than the one before: 0 for a monotone clock. */
  readonly backwards: number;
  /** The largest change of realtime minus CLOCK_MONOTONIC from one sample to the next: what was stepped, not slewed. */
  readonly largestStepSeconds: number;
  /** Change of realtime minus CLOCK_MONOTONIC_RAW over all samples: all that was corrected, by whatever means. */
  readonly correctedSeconds: number;
  /** Between first and last sample, by CLOCK_MONOTONIC_RAW. */
  readonly seconds: number;
}

/** Measures and, as this is the machine's own clock, also moves it. Positive offset = the machine is behind. */
export interface GuestClock {
  /** The median of `count` (default 10) `chronyd -Q` against the host's server on that port, and how far they are apart. */
  error(
    port: number,
    count?: number,
  ): Promise<{ medianSeconds: number; spreadSeconds: number; all: readonly number[] }>;
  /**
   * The offset (s; positive: the machine is behind) by the best of `count` NTP exchanges within a few seconds. Under
   * emulation much steadier than `error`, whose every reading is a process of its own.
   */
  exchanged(port: number, count: number): Promise<{ offsetSeconds: number; delaySeconds: number }>;
  /** Samples for so many seconds, every `everyMilliseconds` (default 10). */
  sample(seconds: number, everyMilliseconds?: number): Promise<ClockSamples>;
  kernel(): Promise<KernelClock>;
  /** CLOCK_MONOTONIC (s) when the kernel's clock is said to be synchronised, to 20 ms; rejects after so many seconds. */
  synchronised(seconds: number): Promise<number>;
  /** Adds so many seconds to the machine's clock at once (ADJ_SETOFFSET). */
  step(seconds: number): Promise<void>;
  setFrequency(ppm: number): Promise<void>;
}

/** The clock of the machine that this runs in; never to be made outside of it. */
export function createGuestClock(): GuestClock {
  return {
    error: measuredError,
    exchanged: async (port, count) => {
      const [offset = 0, delay = 0] = (
        await perl(["exchange", "10.0.2.2", String(port), String(count)], 60 + count)
      )
        .trim()
        .split(" ")
        .map(Number);
      return { offsetSeconds: offset / 1e9, delaySeconds: delay / 1e9 };
    },
    sample: async (seconds, everyMilliseconds = 10) =>
      summary(await perl(["sample", String(seconds), String(everyMilliseconds / 1_000)], seconds + 30)),
    kernel: async () => readKernel(await perl(["read"])),
    synchronised: async (seconds) =>
      Number(await perl(["synchronised", String(seconds)], seconds + 30)) / 1e9,
    step: async (seconds) => {
      await perl(["step", String(seconds)]);
    },
    setFrequency: async (ppm) => {
      await perl(["frequency", String(ppm)]);
    },
  };
}

async function measuredError(port: number, count = 10) {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push(await onceByChronyd(port, index));
  const sorted = all.toSorted((a, b) => a - b);
  return {
    medianSeconds: median(all),
    spreadSeconds: (sorted.at(-1) ?? Number.NaN) - (sorted[0] ?? Number.NaN),
    all,
  };
}

/** chronyd -Q only measures; one sample each, as more of them come 2 s apart; its own pid file and no command port, so that it goes beside a running chronyd. */
async function onceByChronyd(port: number, index: number): Promise<number> {
  const { stdout, stderr } = await runCommand("/usr/sbin/chronyd", [
    ...["-Q", "-t", "20", `server 10.0.2.2 port ${port} iburst maxsamples 1`],
    ...["cmdport 0", "bindcmdaddress /", `pidfile /run/measure-${index}.pid`, "user root"],
  ]);
  const found = /System clock wrong by (-?[\d.]+) seconds/.exec(stdout + stderr)?.[1];
  if (found === undefined) throw new Error(`chronyd -Q could not measure: ${(stdout + stderr).trim()}`);
  return Number(found);
}

async function perl(args: readonly string[], timeoutSeconds = 30): Promise<string> {
  const { status, stdout, stderr } = await runCommand("perl", ["-e", clockProgram, ...args], {
    timeoutSeconds,
  });
  if (status !== 0) throw new Error(`the clock program ended with ${status}: ${stderr}`);
  return stdout;
}

function readKernel(text: string): KernelClock {
  const [state = 5, offset = 0, frequency = 0, maxError = 0, estError = 0, status = 0] = text
    .trim()
    .split(" ")
    .map(Number);
  // STA_NANO says in which unit the offset is; TIME_ERROR is 5.
  return {
    synchronised: state !== 5 && (status & 0x40) === 0,
    frequencyPpm: frequency / 65_536,
    maxErrorSeconds: maxError / 1e6,
    estErrorSeconds: estError / 1e6,
    offsetSeconds: offset / ((status & 0x2000) === 0 ? 1e6 : 1e9),
    status,
  };
}

function summary(text: string): ClockSamples {
  const rows = text
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(BigInt));
  let backwards = 0;
  let largest = 0;
  for (let index = 1; index < rows.length; index += 1) {
    const [real = 0n, monotonic = 0n] = rows[index] ?? [];
    const [realBefore = 0n, monotonicBefore = 0n] = rows[index - 1] ?? [];
    if (real < realBefore) backwards += 1;
    const step = Number(real - realBefore - (monotonic - monotonicBefore)) / 1e9;
    if (Math.abs(step) > Math.abs(largest)) largest = step;
  }
  const [realFirst = 0n, , rawFirst = 0n] = rows[0] ?? [];
  const [realLast = 0n, , rawLast = 0n] = rows.at(-1) ?? [];
  return {
    count: rows.length,
    backwards,
    largestStepSeconds: largest,
    correctedSeconds: Number(realLast - realFirst - (rawLast - rawFirst)) / 1e9,
    seconds: Number(rawLast - rawFirst) / 1e9,
  };
}
