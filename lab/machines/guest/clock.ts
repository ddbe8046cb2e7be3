import { median } from "../../basics/quantile.ts";
import { clockProgram } from "./clock-program.ts";
import { runCommand } from "./command.ts";

/** The behaviour of CLOCK_REALTIME in a run of samples of clock_gettime(2). */
export interface ClockSamples {
  readonly count: number;
  /** The number of samples that were earlier than the one before: 0 for a monotone clock. */
  readonly backwards: number;
  /** The largest change of realtime minus CLOCK_MONOTONIC from one sample to the next: what was stepped, not slewed. */
  readonly largestStepSeconds: number;
  /** Change of realtime minus CLOCK_MONOTONIC_RAW over all samples: all that was corrected, by whatever means. */
  readonly correctedSeconds: number;
}

/** Measures and, as this is the machine's own clock, also moves it. Positive offset = the machine is behind. */
export interface GuestClock {
  /** The median of `count` (default 10) `chronyd -Q` against the host's server on that port, and how far they are apart. */
  error(port: number, count?: number): Promise<{ medianSeconds: number; spreadSeconds: number }>;
  /**
   * The offset (s; positive: the machine is behind) by the best of `count` NTP exchanges within a few seconds. Under
   * emulation much steadier than `error`, whose every reading is a process of its own.
   */
  exchanged(port: number, count: number): Promise<number>;
  /** Samples for so many seconds, one each 20 ms. */
  sample(seconds: number): Promise<ClockSamples>;
  /** CLOCK_MONOTONIC (s) when the kernel's clock is said to be synchronised, to 20 ms; rejects after so many seconds. */
  synchronised(seconds: number): Promise<number>;
  /** Adds so many seconds to the machine's clock at once (ADJ_SETOFFSET). */
  step(seconds: number): Promise<void>;
}

/** The clock of the machine that this runs in; never to be made outside of it. */
export function createGuestClock(): GuestClock {
  return {
    error: async (port, count = 10) => {
      const all: number[] = [];
      for (let index = 0; index < count; index += 1) all.push(await onceByChronyd(port, index));
      return { medianSeconds: median(all), spreadSeconds: Math.max(...all) - Math.min(...all) };
    },
    exchanged: async (port, count) =>
      Number((await perl(["exchange", "10.0.2.2", `${port}`, `${count}`], 60 + count)).split(" ")[0]) / 1e9,
    sample: async (seconds) => summary(await perl(["sample", `${seconds}`, "0.02"], seconds + 30)),
    synchronised: async (seconds) => Number(await perl(["synchronised", `${seconds}`], seconds + 30)) / 1e9,
    step: async (seconds) => void (await perl(["step", `${seconds}`])),
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
  return stdout.trim();
}

function summary(text: string): ClockSamples {
  const rows = text.split("\n").map((line) => line.split(" ").map(BigInt) as [bigint, bigint, bigint]);
  let backwards = 0;
  let largest = 0;
  for (const [index, [real, monotonic]] of rows.entries()) {
    const [realBefore, monotonicBefore] = rows[index - 1] ?? [real, monotonic];
    if (real < realBefore) backwards += 1;
    const step = Number(real - realBefore - (monotonic - monotonicBefore)) / 1e9;
    if (Math.abs(step) > Math.abs(largest)) largest = step;
  }
  const [first, last] = [rows[0], rows.at(-1)] as [[bigint, bigint, bigint], [bigint, bigint, bigint]];
  const corrected = Number(last[0] - first[0] - (last[2] - first[2])) / 1e9;
  return { count: rows.length, backwards, largestStepSeconds: largest, correctedSeconds: corrected };
}
