import { appendFileSync } from "node:fs";
import type { ReleaseHost } from "../../src/host/release-ports.ts";

/** The operation at which the process is killed, and on which side of it. */
export interface CrashPlan {
  /** Its number from 1, or the beginning of its name; 0: none. */
  readonly at: number | string;
  readonly when: "before" | "after";
  /** Gets a line for each operation. */
  readonly log: string;
}

export type Counter = ReturnType<typeof createCounter>;

/** Counts operations, and ends the process at one of them as a power cut would. */
export function createCounter({ at, when, log }: CrashPlan) {
  let count = 0;
  return {
    around: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      count += 1;
      const isHere = typeof at === "number" ? count === at : name.startsWith(at);
      appendFileSync(log, `${name}\n`);
      if (isHere && when === "before") die();
      const result = await work();
      if (isHere) die();
      return result;
    },
  };
}

/** Nothing runs after it: no handler, no `finally`, no flush. */
function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/**
 * The host with each operation counted that changes something, or starts or asks another program. What only reads leaves
 * the same behind as the operation before it.
 */
export function crashing(host: ReleaseHost, counter: Counter): ReleaseHost {
  const { files, units } = host;
  const whole = counting(host, ["activate", "askHealth", "selfTest", "unpack"], counter);
  const changing = ["write", "makeDirectory", "remove", "move", "link", "sync"] as const;
  return {
    ...whole,
    files: counting(files, changing, counter),
    units: units && counting(units, ["restart", "reload", "begin"], counter),
  };
}

/** These operations are named with the last of the paths and units that they are given. */
function counting<T extends object>(part: T, names: readonly (keyof T & string)[], { around }: Counter): T {
  const counted = names.map((name) => {
    const own = part[name] as (...given: unknown[]) => Promise<unknown>;
    const place = ([first, second]: unknown[]) => (name === "move" || name === "unpack" ? second : first);
    const where = (given: unknown[]) => (typeof place(given) === "string" ? ` ${place(given)}` : "");
    return [
      name,
      (...given: unknown[]) => around(`${name}${where(given)}`, () => own.apply(part, given)),
    ] as const;
  });
  return { ...part, ...Object.fromEntries(counted) };
}
