import type { Candidate } from "./select.ts";

/** −1: an interval begins; 0: its middle; 1: it ends. */
interface Edge {
  readonly at: number;
  readonly type: -1 | 0 | 1;
}

/**
 * The interval of offsets, in seconds, that more than half of the candidates agree on, with the fewest falsetickers
 * (RFC 5905 §11.2.1); null: no majority. Intervals that only touch do not agree.
 */
export function intersect(candidates: readonly Candidate[]): { low: number; high: number } | null {
  const upwards = edgesOf(candidates);
  const downwards = upwards.map(({ at, type }) => ({ at: -at, type: reversed(type) })).reverse();
  // RFC 5905 §11.2.1, step 5B: one more falseticker is allowed, as long as they stay less than half.
  for (let allowed = 0; 2 * allowed < candidates.length; allowed += 1) {
    const wanted = candidates.length - allowed;
    const bottom = scan(upwards, wanted);
    const top = scan(downwards, wanted);
    if (bottom === null || top === null) continue;
    const [low, high] = [bottom.at, -top.at];
    // Step 5: each middle outside is a falseticker's, so there are as many at most as are allowed.
    if (bottom.middles + top.middles <= allowed && low < high) return { low, high };
  }
  return null;
}

/** The edges of all intervals in ascending order; at one point beginnings come first and ends last. */
function edgesOf(candidates: readonly Candidate[]): Edge[] {
  const edges = candidates.flatMap(({ offsetSeconds: middle, rootDistanceSeconds: distance }): Edge[] => [
    { at: middle - distance, type: -1 },
    { at: middle, type: 0 },
    { at: middle + distance, type: 1 },
  ]);
  return edges.sort((a, b) => a.at - b.at || a.type - b.type);
}

function reversed(type: Edge["type"]): Edge["type"] {
  switch (type) {
    case -1:
      return 1;
    case 0:
      return 0;
    case 1:
      return -1;
  }
}

/** Steps 3 and 4: the first point that lies in `wanted` intervals, and how many middles were passed on the way. */
function scan(edges: readonly Edge[], wanted: number): { at: number; middles: number } | null {
  let intervals = 0;
  let middles = 0;
  for (const { at, type } of edges) {
    intervals -= type;
    if (type === 0) middles += 1;
    if (intervals >= wanted) return { at, middles };
  }
  return null;
}
