/** Seconds of the timeline that a success makes its source known for: 30 days of a running device. */
const knownSeconds = 30 * 24 * 60 * 60;

/** Sources known for one account, the latest; and for all accounts together. */
const sourcesPerAccount = 16;
const sourcesInAll = 2_048;

/** Which sources an account was signed in to from. Only successes get in, so strangers cannot push anybody out. */
export interface KnownSources {
  isKnown(account: string, source: string, now: number): boolean;
  /** For any account. */
  isKnownAtAll(source: string, now: number): boolean;
  /** Notes a success; true when the source was not known for the account before. */
  add(account: string, source: string, now: number): boolean;
  forget(account: string): void;
  entries(now: number): KnownSource[];
}

/** One source of one account, and when its last success was. */
export interface KnownSource {
  readonly account: string;
  readonly source: string;
  readonly at: number;
}

export function createKnownSources(stored: readonly KnownSource[]): KnownSources {
  const marks = new Map(stored.map((mark) => [`${mark.account} ${mark.source}`, mark]));
  const isFresh = (at: number | undefined, now: number) => at !== undefined && now < at + knownSeconds;
  let latest = latestBySource(marks.values());
  return {
    isKnown: (account, source, now) => isFresh(marks.get(`${account} ${source}`)?.at, now),
    isKnownAtAll: (source, now) => isFresh(latest.get(source), now),
    add: (account, source, now) => {
      const key = `${account} ${source}`;
      const isNew = !isFresh(marks.get(key)?.at, now);
      // Taken out first: the order of a Map is then that of the last successes.
      marks.delete(key);
      marks.set(key, { account, source, at: now });
      const own = [...marks].filter(([, mark]) => mark.account === account);
      for (const [oldest] of own.slice(0, -sourcesPerAccount)) marks.delete(oldest);
      for (const oldest of [...marks.keys()].slice(0, -sourcesInAll)) marks.delete(oldest);
      latest = latestBySource(marks.values());
      return isNew;
    },
    forget: (account) => {
      for (const [key, mark] of marks) if (mark.account === account) marks.delete(key);
      latest = latestBySource(marks.values());
    },
    entries: (now) => [...marks.values()].filter(({ at }) => isFresh(at, now)),
  };
}

function latestBySource(marks: Iterable<KnownSource>): Map<string, number> {
  const latest = new Map<string, number>();
  for (const { source, at } of marks) latest.set(source, Math.max(at, latest.get(source) ?? 0));
  return latest;
}
