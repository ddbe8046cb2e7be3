import type { Chance } from "../basics/chance.ts";
import type { Ledger } from "./ledger.ts";

/** The input of a target: its chance, the number of cases, and the ledger of their outcomes. */
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
  run(fuzzing: Fuzzing): Promise<unknown>;
}
