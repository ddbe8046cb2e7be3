import type { Action, Measurement } from "../discipline/discipline.ts";
import type { Refusal } from "../ntp/source-pool.ts";
import type { Selection } from "../select/select.ts";

/** The end of a round of measuring. Seconds are of the offset that was measured; positive: the host is behind. */
export type Verdict =
  /** The clock agrees with the sources, or is being slewed there. */
  | { readonly kind: "agreed" }
  /** The clock was changed from outside while it was measured: the result means nothing. */
  | { readonly kind: "disturbed" }
  /** A large offset that further polls must confirm. */
  | { readonly kind: "to_be_confirmed"; readonly seconds: number }
  | { readonly kind: "no_servers" }
  /** `refusal`: a server that refuses this device, if there is one. */
  | { readonly kind: "no_time_source"; readonly refusal: Refusal | null }
  | { readonly kind: "no_majority" }
  | { readonly kind: "too_few"; readonly agreeing: number; readonly needed: number }
  /** `time.authenticated_only`: so many of the servers with NTS (`configured`) agree. */
  | {
      readonly kind: "too_few_authenticated";
      readonly agreeing: number;
      readonly needed: number;
      readonly configured: number;
    }
  /** A single source that a second opinion contradicts. */
  | { readonly kind: "suspect"; readonly id: string; readonly seconds: number }
  | { readonly kind: "panic_threshold"; readonly seconds: number }
  /** The measured time is below the floor, or beyond the ceiling. */
  | { readonly kind: "below_floor" | "beyond_ceiling"; readonly measuredSeconds: number };

/** True where the sources demand a correction that was not made yet. */
export function isUnsettled({ kind }: Verdict): boolean {
  return kind === "to_be_confirmed" || kind === "panic_threshold";
}

/** The verdict on a selection without a measurement. `authenticated`: servers with NTS, where only they count. */
export function verdictWithout(
  selection: Selection,
  authenticated: number | null,
  refusal: Refusal | null,
): Verdict {
  switch (selection.kind) {
    case "too_few": {
      const votes = { agreeing: selection.agreeing.length, needed: selection.needed };
      if (authenticated === null) return { kind: "too_few", ...votes };
      return { kind: "too_few_authenticated", ...votes, configured: authenticated };
    }
    case "no_majority":
      return { kind: "no_majority" };
    case "none":
    case "agreed":
      return { kind: "no_time_source", refusal };
  }
}

/** Seconds since 1970 between which a time is possible. */
export interface Bounds {
  readonly atSeconds: () => number;
  readonly ceilingSeconds: () => number;
}

/** The verdict on a time that is impossible; null: it is possible. */
export function implausible(measuredSeconds: number, floor: Bounds): Verdict | null {
  if (measuredSeconds < floor.atSeconds()) return { kind: "below_floor", measuredSeconds };
  if (measuredSeconds > floor.ceilingSeconds()) return { kind: "beyond_ceiling", measuredSeconds };
  return null;
}

export function verdictOf(action: Action, { offsetSeconds }: Measurement): Verdict {
  if (action.kind === "refuse") return { kind: "panic_threshold", seconds: action.seconds };
  const isPending = action.kind === "none" && action.why === "to_be_confirmed";
  return isPending ? { kind: "to_be_confirmed", seconds: offsetSeconds } : { kind: "agreed" };
}
