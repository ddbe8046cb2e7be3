import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { createKillable, type Ended, type Interruption } from "./killable.ts";

export type { Ended, Interruption };

export type CrashHarness = Awaited<ReturnType<typeof createCrashHarness>>;

/** The lab's child, and a library that interrupts it at the Nth call that changes files under its directory. */
export async function createCrashHarness(test: Ending) {
  const source = join(import.meta.dirname, "refresh-and-fetch.ts");
  const program = await createKillable(await temporaryDirectory(test), source);
  return {
    /** One whole run, and whatever it may leave in the directory where it is interrupted at a call that `concerns` names. */
    watch: async (directory: string, args: readonly string[], concerns: RegExp) => {
      const watched = await program.watch([directory, ...args], { directory, concerns });
      const { code, output } = watched.ended;
      if (code !== 0) throw new Error(`the run that is watched ended with ${code} ${output}`);
      return watched;
    },
    run: (directory: string, args: readonly string[], at: number, how: Interruption) =>
      program.interrupted([directory, ...args], { directory, at, how }),
  };
}
