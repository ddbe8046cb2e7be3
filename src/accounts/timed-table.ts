import type { Uptime } from "../host/ports.ts";

/** Entries that are only in memory, each for some time. */
export type TimedTable<Entry> = ReturnType<typeof createTimedTable<Entry>>;

/** `most`: entries of all owners. A full table loses the oldest of the owner with the most, and none of the others'. */
export function createTimedTable<Entry>({
  seconds,
  uptime,
  most = Number.POSITIVE_INFINITY,
}: {
  seconds: number;
  uptime: Uptime;
  most?: number;
}) {
  const table = new Map<string, { entry: Entry; owner: string | null; until: number }>();
  return {
    /** In place of the former one of this key. `owner`: the account or client that it is kept for. */
    put: (key: string, entry: Entry, owner: string | null = null): void => {
      for (const [other, { until }] of table) if (uptime() >= until || other === key) table.delete(other);
      table.set(key, { entry, owner, until: uptime() + seconds });
      if (table.size <= most) return;
      const counts = new Map<string | null, number>();
      for (const kept of table.values()) counts.set(kept.owner, (counts.get(kept.owner) ?? 0) + 1);
      const busiest = Math.max(...counts.values());
      const [loser = key] = [...table].find(([, kept]) => counts.get(kept.owner) === busiest) ?? [];
      table.delete(loser);
    },
    /** Undefined if there is none, or its time is over. */
    get: (key: string): Entry | undefined => {
      const kept = table.get(key);
      return kept && uptime() < kept.until ? kept.entry : undefined;
    },
    delete: (key: string): void => void table.delete(key),
  };
}
