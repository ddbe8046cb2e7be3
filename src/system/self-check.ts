import { StewardError, systemErrorCode } from "../contract/errors.ts";
import type { Finding } from "../contract/types.ts";
import type { RunCommand, Timers, Uptime } from "../host/ports.ts";
import { failuresIn, failureTrouble, ownFailures, type PartFailure } from "./program-parts.ts";

interface SelfCheckOptions {
  /** Absolute paths of the runtime and of self-check.js. */
  readonly node: string;
  readonly script: string;
  readonly run: RunCommand;
  readonly timers: Timers;
  readonly uptime: Uptime;
  readonly onFailure: (detail: string) => void;
}

/** Seconds after the start, when a small device has finished its boot. */
const firstTrialSeconds = 20;

/** Seconds for which a failure is kept; after that, a request tests the parts again. */
const failureSeconds = 10;

/** Milliseconds that a test may take: a fraction of a second of work, on a device that may be at its slowest. */
const longestMilliseconds = 30_000;

export type SelfCheck = ReturnType<typeof createSelfCheck>;

/** Tests this program's parts (passwords, secrets, signatures, native modules) once a process, again after a failure. */
export function createSelfCheck(options: SelfCheckOptions) {
  const { timers, uptime } = options;
  let last: { failures: readonly PartFailure[]; at: number } | null = null;
  let running: Promise<readonly PartFailure[]> | null = null;
  let takeBack = (): void => undefined;
  const isDue = (): boolean =>
    last === null || (ownFailures(last.failures).length > 0 && uptime() - last.at >= failureSeconds);
  const examine = (): Promise<readonly PartFailure[]> => {
    if (last !== null && !isDue()) return Promise.resolve(last.failures);
    running ??= tried(options).then((failures) => {
      running = null;
      const isNews = failures.length > 0 && (last === null || last.failures.length === 0);
      last = { failures, at: uptime() };
      if (isNews) options.onFailure(failureTrouble(failures).detail);
      return failures;
    });
    return running;
  };
  return {
    /** Tests them unless that was done. Throws `not_ready` with the failed parts; `isDetailed`: and their errors. */
    require: async (isDetailed: boolean): Promise<void> => {
      const failures = ownFailures(await examine());
      if (failures.length > 0)
        throw new StewardError("not_ready", failureTrouble(failures, isDetailed).detail);
    },
    /** The trouble of the last test; null: all parts work, or were not tested yet. */
    trouble: (): Finding | null => {
      if (last === null || last.failures.length === 0) return null;
      if (isDue()) void examine();
      return failureTrouble(last.failures);
    },
    /** Schedules the test soon, so that health knows before anyone asks for readiness. */
    start: (): void => {
      takeBack = timers.after(firstTrialSeconds, () => void examine());
    },
    stop: (): void => takeBack(),
  };
}

/** Never rejects: an error that prevents the test is a failure too. */
async function tried({ node, script, run }: SelfCheckOptions): Promise<readonly PartFailure[]> {
  const limits = { timeoutMilliseconds: longestMilliseconds };
  try {
    const { status, stdout, stderr } = await run(node, [script], limits);
    const said = stderr.split("\n").find((line) => line.startsWith("Error")) ?? `status ${status}`;
    const ending =
      status === null
        ? `the trial was ended by a signal, or took longer than ${longestMilliseconds / 1_000} s`
        : `the trial ended early (${said})`;
    return failuresIn(stdout, ending);
  } catch (error) {
    return [{ part: null, cause: `${node} could not be run (${systemErrorCode(error) ?? String(error)})` }];
  }
}
