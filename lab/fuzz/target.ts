import type { Chance } from "../basics/chance.ts";
import type { Ledger } from "./ledger.ts";

/** What a target is given: its chance, how many cases it is to make, and where it says what came of them. */
export interface Fuzzing {
  readonly chance: Chance;
  readonly cases: number;
  readonly ledger: Ledger;
}

/** Something that is fuzzed. */
export interface Target {
  /** Cases when nothing else is said. */
  readonly cases: number;
  /** Gives the MiB that the process which was fuzzed took at most; null: it was this one. */
  run(fuzzing: Fuzzing): Promise<number | null>;
}
