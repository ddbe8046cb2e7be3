/** The accounts whose valid tokens connections carried last. */
const accounts = new WeakMap<object, string>();

/** Keeps a connection its place: it has just carried a valid token of this account. */
export function keepPlace(socket: object, account: string): void {
  if (accounts.get(socket) !== account) accounts.set(socket, account);
}

/** Undefined: it has carried no valid token. */
export function accountOf(socket: object): string | undefined {
  return accounts.get(socket);
}

/** What the rule needs to know of a connection that holds a place. */
export interface Occupant {
  /** The account whose valid token it carried last; undefined: a stranger's. */
  readonly account: string | undefined;
  /** What strangers are counted by: the address, or the network around it that is one subscriber's. */
  readonly source: string;
  /** It is idle, or the head or the body of its request has not arrived whole. */
  readonly isUnfinished: boolean;
  /** A count of events, not a time: larger where a connection was made, or was answered, later. */
  readonly lastActivity: number;
}

/**
 * The kinds of connections, in the order in which they give way, each with the share of all places, one in `part`, that
 * the others cannot take from it. The shares make up the whole, so that where one connection is too many some kind has
 * more than its share. Unfinished requests cost a stranger nothing and go first. They keep a quarter all the same: a
 * person who is about to sign in is one of them until the head is there.
 */
const kinds: readonly { part: number; includes: (occupant: Occupant) => boolean }[] = [
  { part: 4, includes: ({ account, isUnfinished }) => account === undefined && isUnfinished },
  { part: 4, includes: ({ account, isUnfinished }) => account === undefined && !isUnfinished },
  { part: 2, includes: ({ account }) => account !== undefined },
];

/** Of a kind's places, one in so many is what a source or an account may hold before it gives way to others. */
const holdersPerKind = 4;

/**
 * The connection that has to go when there are more than `maximum` (4 at least): of the first kind that has more than
 * its share; there from the source or account that holds most, if that is more than its part; there the one that has
 * been idle or unfinished for longest, or else at work for longest. Never the newest, whose head may be on its way.
 */
export function firstToGo<T extends Occupant>(occupants: Iterable<T>, maximum: number): T | undefined {
  const all = [...occupants];
  for (const { part, includes } of kinds) {
    const members = all.filter(includes);
    const places = Math.floor(maximum / part);
    if (members.length > places) return longestWaiting(ofLargestHolder(members, places / holdersPerKind));
  }
  return undefined;
}

/** All of them, where no source and no account holds more than `most`. */
function ofLargestHolder<T extends Occupant>(members: readonly T[], most: number): readonly T[] {
  const counts = new Map<string, number>();
  for (const member of members) counts.set(holderOf(member), (counts.get(holderOf(member)) ?? 0) + 1);
  const [largest, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
  return count > most ? members.filter((member) => holderOf(member) === largest) : members;
}

function holderOf({ account, source }: Occupant): string {
  return account ?? source;
}

function longestWaiting<T extends Occupant>(members: readonly T[]): T | undefined {
  const unfinished = members.filter(({ isUnfinished }) => isUnfinished);
  const candidates = unfinished.length > 0 ? unfinished : members;
  return candidates.reduce((oldest, one) => (one.lastActivity < oldest.lastActivity ? one : oldest));
}
