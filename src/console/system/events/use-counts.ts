import { useRef } from "preact/hooks";
import type { EventCounts } from "../../../contract/types.ts";
import { deviceNow } from "../../client/device-time.ts";
import { type Resource, useResource } from "../../client/use-resource.ts";
import { type Bar, barsOf, daily, edgesOf, stepOfSpan } from "./bars.ts";
import type { EventQuery } from "./events-query.ts";

interface Counted extends Pick<EventCounts, "total" | "refused" | "groups"> {
  readonly bars: readonly Bar[];
  /** Milliseconds of a bar. */
  readonly stepMilliseconds: number;
}

/** Bars of a picture, beside which one of what is older may be. */
const mostBars = (): number => (innerWidth < 640 ? 11 : 30);

/** The events that match, counted; `value` is null until they are. Until another query is counted, it stays. */
export function useCounts(query: EventQuery): Pick<Resource<Counted>, "value" | "error" | "reload"> {
  const now = deviceNow();
  const to = momentOf(query.until, now) ?? now;
  const from = momentOf(query.since, now);
  const most = mostBars();
  const step = from === null ? daily : stepOfSpan(from, to, most);
  const edges = edgesOf(step, from ?? step.edge(to, 1 - most), to);
  const { value, error, reload } = useResource("countEvents", {
    query: { ...query, edges: edges.map((edge) => edge / 1_000).join() },
  });
  const last = useRef<Counted | null>(null);
  if (value) last.current = { ...value, bars: barsOf(edges, value), stepMilliseconds: step.milliseconds };
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

const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };
