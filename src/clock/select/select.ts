import { type Candidate, intersect } from "./select-intersection.ts";

/** The time by all sources together. */
export interface Agreement {
  readonly kind: "agreed";
  /** The interval, of offsets in seconds, that a majority agrees on. */
  readonly low: number;
  readonly high: number;
  /** Ids, best first: those whose offsets are combined. The first is the system peer, before hysteresis. */
  readonly survivors: readonly string[];
  /** Ids of truechimers that the cluster algorithm cut: they scatter more than the others. */
  readonly outliers: readonly string[];
  /** Ids of those whose interval misses the agreed one. */
  readonly falsetickers: readonly string[];
  /** Weighted mean of the survivors, within low and high; positive: this host is behind. */
  readonly offsetSeconds: number;
  readonly jitterSeconds: number;
}

/** The end of a selection; `needed`: the number of truechimers that the settings ask for. */
export type Selection =
  | Agreement
  | { readonly kind: "no_majority"; readonly disagreeing: readonly string[] }
  | {
      readonly kind: "too_few";
      readonly agreeing: readonly string[];
      readonly needed: number;
      readonly falsetickers: readonly string[];
    }
  | { readonly kind: "none" };

/**
 * Selects the sources to believe and combines them (RFC 5905 §11.2): intersection, cluster, combine. The order of the
 * candidates does not matter. `minAgreeing`: truechimers without which nothing is believed; 1 or more. The intersection
 * believes a single source, whatever it says.
 */
export function select(candidates: readonly Candidate[], options: { minAgreeing: number }): Selection {
  if (candidates.length === 0) return { kind: "none" };
  // RFC 5905 §11.2.1: the intersection of the correctness intervals.
  const agreed = intersect(candidates);
  if (agreed === null) return { kind: "no_majority", disagreeing: idsOf(inOrder(candidates)) };
  const { low, high } = agreed;
  const isTrue = (candidate: Candidate) => lowest(candidate) < high && highest(candidate) > low;
  const truechimers = inOrder(candidates.filter(isTrue));
  const falsetickers = idsOf(inOrder(candidates.filter((candidate) => !isTrue(candidate))));
  if (truechimers.length < options.minAgreeing) {
    return { kind: "too_few", agreeing: idsOf(truechimers), needed: options.minAgreeing, falsetickers };
  }
  // RFC 5905 §11.2.2: those that scatter most are cut, while that makes the rest better.
  const { survivors, outliers, selectionJitterSeconds } = cluster(truechimers);
  return {
    kind: "agreed",
    low,
    high,
    survivors: idsOf(survivors),
    outliers: idsOf(outliers),
    falsetickers,
    ...combine(survivors, { low, high, selectionJitterSeconds }),
  };
}

/**
 * The true offset is within `offsetSeconds` ± this, as long as the majority tells the truth. If all agree, the interval is
 * as narrow as the best source's own, or narrower; if some do not, the system peer's own bound would be false if it is one
 * of those that the majority only grazes.
 */
export function uncertaintyOf({ low, high }: Pick<Agreement, "low" | "high">, offsetSeconds: number): number {
  return Math.max(high - offsetSeconds, offsetSeconds - low);
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ id }) => id);

const lowest = ({ offsetSeconds, rootDistanceSeconds }: Candidate) => offsetSeconds - rootDistanceSeconds;
const highest = ({ offsetSeconds, rootDistanceSeconds }: Candidate) => offsetSeconds + rootDistanceSeconds;

/** Seconds that one stratum weighs against root distance (RFC 5905 §7.2: MAXDIST). */
const stratumWeightSeconds = 1.5;

/** Best first (RFC 5905 §11.2.2: by stratum × MAXDIST + λ); ids decide between equals, so that input order does not. */
function inOrder(candidates: readonly Candidate[]): Candidate[] {
  const merit = ({ stratum, rootDistanceSeconds }: Candidate) =>
    stratum * stratumWeightSeconds + rootDistanceSeconds;
  return [...candidates].sort((a, b) => merit(a) - merit(b) || (a.id < b.id ? -1 : 1));
}

interface Agreed {
  low: number;
  high: number;
  selectionJitterSeconds: number;
}

/** RFC 5905 §11.2.3: the mean of the survivors, each weighted by the reciprocal of its root distance. */
function combine(survivors: readonly [Candidate, ...Candidate[]], { low, high, ...agreed }: Agreed) {
  const [peer] = survivors;
  const weightOf = (candidate: Candidate) => 1 / candidate.rootDistanceSeconds;
  const weights = survivors.reduce((sum, candidate) => sum + weightOf(candidate), 0);
  const mean = survivors.reduce((sum, one) => sum + weightOf(one) * one.offsetSeconds, 0) / weights;
  // An interval may reach into the agreed one while its middle is outside: no weight argues the mean out of it.
  const offsetSeconds = Math.min(high, Math.max(low, mean));
  return {
    offsetSeconds,
    // RFC 5905 §11.2.3: selection jitter and the system peer's own jitter together.
    jitterSeconds: Math.hypot(agreed.selectionJitterSeconds, peer.jitterSeconds),
  };
}

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
function cluster(truechimers: readonly Candidate[]): Clustered {
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
