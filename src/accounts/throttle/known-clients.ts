/** Seconds of device uptime for which a success makes its client known: 30 days of a running device. */
const knownSeconds = 30 * 24 * 60 * 60;

/** Clients known for one account, the latest ones; and for all accounts together. */
const clientsPerAccount = 16;
const clientsInAll = 2_048;

export interface KnownClient {
  readonly account: string;
  readonly client: string;
  readonly at: number;
}

/** The clients from which users have signed in to an account. Only a success adds one, so strangers push no user out. */
export function createKnownClients(stored: readonly KnownClient[]) {
  // In the order of the last successes, which is the order of a Map. Accounts and clients have indexes into it, so that
  // a success costs no more when thousands are known.
  const marks: Marks = new Map();
  const ofAccounts = new Map<string, Marks>();
  const ofClients = new Map<string, Marks>();
  const remove = (key: string): void => {
    const mark = marks.get(key);
    if (mark === undefined) return;
    marks.delete(key);
    removeFrom(ofAccounts, mark.account, key);
    removeFrom(ofClients, mark.client, key);
  };
  /** Returns all marks of its account. */
  const put = (mark: KnownClient): Marks => {
    const key = keyOf(mark);
    remove(key);
    marks.set(key, mark);
    putInto(ofClients, mark.client, mark);
    return putInto(ofAccounts, mark.account, mark);
  };
  const isFresh = (mark: KnownClient | undefined, now: number) =>
    mark !== undefined && now < mark.at + knownSeconds;
  for (const mark of stored) put(mark);
  return {
    isKnown: (account: string, client: string, now: number): boolean =>
      isFresh(marks.get(keyOf({ account, client })), now),
    isKnownAtAll: (client: string, now: number): boolean =>
      [...(ofClients.get(client)?.values() ?? [])].some((mark) => isFresh(mark, now)),
    /** Notes a success; true when the client was not known for the account before. */
    add: (account: string, client: string, now: number): boolean => {
      const mark = { account, client, at: now };
      const isNew = !isFresh(marks.get(keyOf(mark)), now);
      removeOldest(put(mark), clientsPerAccount, remove);
      removeOldest(marks, clientsInAll, remove);
      return isNew;
    },
    forget: (account: string): void => {
      for (const key of [...(ofAccounts.get(account)?.keys() ?? [])]) remove(key);
    },
    entries: (now: number): KnownClient[] => [...marks.values()].filter((mark) => isFresh(mark, now)),
  };
}

type Marks = Map<string, KnownClient>;

const keyOf = ({ account, client }: Pick<KnownClient, "account" | "client">): string =>
  `${account} ${client}`;

function putInto(all: Map<string, Marks>, of: string, mark: KnownClient): Marks {
  const own: Marks = all.get(of) ?? new Map();
  all.set(of, own.set(keyOf(mark), mark));
  return own;
}

function removeFrom(all: Map<string, Marks>, of: string, key: string): void {
  const own = all.get(of);
  own?.delete(key);
  if (own?.size === 0) all.delete(of);
}

function removeOldest(marks: Marks, most: number, remove: (key: string) => void): void {
  for (const key of marks.keys()) {
    if (marks.size <= most) return;
    remove(key);
  }
}
