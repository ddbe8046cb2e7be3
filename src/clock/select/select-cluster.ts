import type { Candidate } from "./select.ts";

/** Truechimers that are always left over (RFC 5905 §7.2: NMIN). */
const leastSurvivors = 3;

interface Clustered {
  survivors: [Candidate, ...Candidate[]];
  outliers: Candidate[];
  /** ψ_s: RMS of the other survivors' offsets against the best one's. */
  selectionJitterSeconds: number;
}

/**
 * Cuts the truechimer that scatters most, again and again, until the scatter among those left is no more than the
 * steadiest one's own jitter, or three are left (RFC 5905 §11.2.2). `truechimers`: one or more, best first.
 */
export function cluster(truechimers: readonly Candidate[]): Clustered {
  let survivors = [...truechimers];
  const outliers: Candidate[] = [];
  while (survivors.length > leastSurvivors) {
    // Among equals the one of least merit goes.
    const worst = survivors.reduce((a, b) => (scatter(b, survivors) >= scatter(a, survivors) ? b : a));
    const leastJitter = Math.min(...survivors.map(({ jitterSeconds }) => jitterSeconds));
    if (scatter(worst, survivors) <= leastJitter) break;
    survivors = survivors.filter((candidate) => candidate !== worst);
    outliers.push(worst);
  }
  const [best, ...others] = survivors;
  if (best === undefined) throw new RangeError("a cluster needs one truechimer at least");
  return { survivors: [best, ...others], outliers, selectionJitterSeconds: scatter(best, survivors) };
}

/** Selection jitter of one candidate: RMS of the others' offsets against its own. */
function scatter(candidate: Candidate, all: readonly Candidate[]): number {
  if (all.length < 2) return 0;
  const squares = all.reduce((sum, other) => sum + (other.offsetSeconds - candidate.offsetSeconds) ** 2, 0);
  return Math.sqrt(squares / (all.length - 1));
}
