/** The time by one source at the moment of the selection. */
export interface Candidate {
  readonly id: string;
  /** Positive: this host is behind. */
  readonly offsetSeconds: number;
  /** λ: the true offset is within offset ± this if the source tells the truth; above 0. */
  readonly rootDistanceSeconds: number;
  readonly jitterSeconds: number;
  /** 1 to 15. */
  readonly stratum: number;
}

/** −1: an interval begins; 1: it ends. */
interface Edge {
  readonly at: number;
  readonly type: -1 | 1;
}

/**
 * Seconds by which a middle may be outside of the agreed interval. Half of the RFC's MINDISP, which makes every
 * interval at least so wide there: the intervals of near servers are so narrow that packets which wait on one way only
 * put the middles of honest ones outside.
 */
const middleTolerance = 0.0025;

/** The offsets, in seconds, of more than half of the candidates (RFC 5905 §11.2.1); null: no majority. Touching is none. */
export function intersect(candidates: readonly Candidate[]): { low: number; high: number } | null {
  const upwards = edgesOf(candidates);
  const downwards = upwards
    .map(({ at, type }) => ({ at: -at, type: type === 1 ? (-1 as const) : (1 as const) }))
    .reverse();
  // RFC 5905 §11.2.1, step 5B: one more falseticker is allowed, as long as they stay less than half.
  for (let allowed = 0; 2 * allowed < candidates.length; allowed += 1) {
    const wanted = candidates.length - allowed;
    const bottom = scan(upwards, wanted);
    const top = scan(downwards, wanted);
    if (bottom === null || top === null) continue;
    const [low, high] = [bottom, -top];
    // Step 5: each middle outside is a falseticker's, so there are as many at most as are allowed.
    if (low < high && middlesOutside(candidates, low, high) <= allowed) return { low, high };
  }
  return null;
}

/** The ends of all intervals in ascending order; at one point beginnings come first. */
function edgesOf(candidates: readonly Candidate[]): Edge[] {
  const edges = candidates.flatMap(({ offsetSeconds: middle, rootDistanceSeconds: distance }): Edge[] => [
    { at: middle - distance, type: -1 },
    { at: middle + distance, type: 1 },
  ]);
  return edges.sort((a, b) => a.at - b.at || a.type - b.type);
}

/** Steps 3 and 4: the first point that is in `wanted` intervals. */
function scan(edges: readonly Edge[], wanted: number): number | null {
  let intervals = 0;
  for (const { at, type } of edges) {
    intervals -= type;
    if (intervals >= wanted) return at;
  }
  return null;
}

function middlesOutside(candidates: readonly Candidate[], low: number, high: number): number {
  const isOutside = ({ offsetSeconds }: Candidate) =>
    offsetSeconds < low - middleTolerance || offsetSeconds > high + middleTolerance;
  return candidates.filter(isOutside).length;
}
