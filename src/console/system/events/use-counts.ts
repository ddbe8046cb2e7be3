import { useRef } from "preact/hooks";
import type { EventCounts } from "../../../contract/types.ts";
import { deviceNow } from "../../client/device-time.ts";
import { type Resource, useResource } from "../../client/use-resource.ts";
import { type Bar, barsOf, edgesOf, stepOfSpan, stepOfWhole, windowEdges } from "./bars.ts";
import type { EventQuery } from "./events-query.ts";

interface Counted extends Pick<EventCounts, "total" | "refused" | "groups"> {
  readonly bars: readonly Bar[];
  /** Milliseconds of a bar, on average. */
  readonly stepMilliseconds: number;
}

/** Bars of a picture, beside which one of what is older may be. */
const mostBars = (): number => (innerWidth < 640 ? 11 : 30);

/** The events that match, counted; `value` is null until they are. Until another query is counted, it stays. */
export function useCounts(query: EventQuery): Pick<Resource<Counted>, "value" | "error" | "reload"> {
  const now = deviceNow();
  const from = momentOf(query.since, now);
  const to = momentOf(query.until, now) ?? now;
  const most = mostBars();
  const inputOf = (edges: readonly number[]) => ({
    query: { ...query, edges: edges.map((edge) => edge / 1_000).join() },
  });
  const chosen = from === null ? null : stepOfSpan(from, to, most);
  const coarse = windowEdges(to, most);
  const first = useResource("countEvents", inputOf(chosen ? edgesOf(chosen, from ?? 0, to) : coarse));
  const step = chosen ?? (first.value && stepOfWhole(first.value));
  const begin = from ?? step?.edge(to, 1 - most) ?? 0;
  const edges = step ? edgesOf(step, begin, to) : coarse;
  // For a span that was chosen, this is the same reading once more.
  const { value, error, reload } = useResource("countEvents", inputOf(edges));
  const last = useRef<Counted | null>(null);
  if (step && value)
    last.current = {
      ...value,
      bars: barsOf(edges, value, from === null),
      stepMilliseconds: step.milliseconds,
    };
  return { value: last.current, error, reload };
}

/** Milliseconds since 1970 of a time, or of how long ago it was, such as `1h30m`; null: none is named. */
function momentOf(text: string | undefined, now: number): number | null {
  if (!text) return null;
  if (text.includes("T")) return Number.isNaN(Date.parse(text)) ? null : Math.max(Date.parse(text), 0);
  const parts = [...text.matchAll(/(\d+)(ms|[dhms])/g)];
  const ago = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
  return Math.max(now - ago, 0);
}

/** Milliseconds of each unit of a duration. */
const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
