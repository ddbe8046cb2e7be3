/** Seconds of device uptime that a success makes its client known for: 30 days of a running device. */
const knownSeconds = 30 * 24 * 60 * 60;

/** Clients known for one account, the latest; and for all accounts together. */
const clientsPerAccount = 16;
const clientsInAll = 2_048;

/** Which clients an account was signed in to from. Only successes get in, so strangers cannot push users out. */
export interface KnownClients {
  isKnown(account: string, client: string, now: number): boolean;
  /** For any account. */
  isKnownAtAll(client: string, now: number): boolean;
  /** Notes a success; true when the client was not known for the account before. */
  add(account: string, client: string, now: number): boolean;
  forget(account: string): void;
  entries(now: number): KnownClient[];
}

/** One client of one account, and when its last success was. */
export interface KnownClient {
  readonly account: string;
  readonly client: string;
  readonly at: number;
}

export function createKnownClients(stored: readonly KnownClient[]): KnownClients {
  const marks = new Map(stored.map((mark) => [`${mark.account} ${mark.client}`, mark]));
  const isFresh = (at: number | undefined, now: number) => at !== undefined && now < at + knownSeconds;
  let latest = latestByClient(marks.values());
  return {
    isKnown: (account, client, now) => isFresh(marks.get(`${account} ${client}`)?.at, now),
    isKnownAtAll: (client, now) => isFresh(latest.get(client), now),
    add: (account, client, now) => {
      const key = `${account} ${client}`;
      const isNew = !isFresh(marks.get(key)?.at, now);
      // Taken out first: the order of a Map is then that of the last successes.
      marks.delete(key);
      marks.set(key, { account, client, at: now });
      const own = [...marks].filter(([, mark]) => mark.account === account);
      for (const [oldest] of own.slice(0, -clientsPerAccount)) marks.delete(oldest);
      for (const oldest of [...marks.keys()].slice(0, -clientsInAll)) marks.delete(oldest);
      latest = latestByClient(marks.values());
      return isNew;
    },
    forget: (account) => {
      for (const [key, mark] of marks) if (mark.account === account) marks.delete(key);
      latest = latestByClient(marks.values());
    },
    entries: (now) => [...marks.values()].filter(({ at }) => isFresh(at, now)),
  };
}

function latestByClient(marks: Iterable<KnownClient>): Map<string, number> {
  const latest = new Map<string, number>();
  for (const { client, at } of marks) latest.set(client, Math.max(at, latest.get(client) ?? 0));
  return latest;
}
