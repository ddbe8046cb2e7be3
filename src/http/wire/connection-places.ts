/** The account whose valid token each connection carried last. */
const accounts = new WeakMap<object, string>();

/** Notes that a connection has just carried a valid token of this account, which protects its place. */
export function keepPlace(socket: object, account: string): void {
  if (accounts.get(socket) !== account) accounts.set(socket, account);
}

/** The account; undefined: the connection has carried no valid token. */
export function accountOf(socket: object): string | undefined {
  return accounts.get(socket);
}

/** A connection that holds a place, as far as the rule needs it. */
export interface HeldConnection {
  /** The account whose valid token it carried last; undefined: none, so it is a stranger's. */
  readonly account: string | undefined;
  /** The key by which strangers are counted: their address, or the network of one subscriber. */
  readonly clientKey: string;
  /** It is idle, or its request has not arrived completely. */
  readonly isUnfinished: boolean;
  /** A count of events, not a time: larger for a connection that was made, or answered, later. */
  readonly lastActivity: number;
}

/**
 * The kinds of connections, in the order in which they are ended, each with its share of all places (one in `part`),
 * which the others cannot take. The shares add up to the whole, so with too many connections some kind exceeds its
 * share. Unfinished requests cost a stranger nothing, so they are ended first. They keep a quarter, since a user who is
 * about to sign in is one of them until the head has arrived.
 */
const kinds = [
  { name: "unfinished", part: 4 },
  { name: "answered", part: 4 },
  { name: "known", part: 2 },
] as const;

/** One in so many of a kind's places is protected for each client or account that holds them. */
const holdersPerKind = 4;

interface Ranked<T> extends Pick<HeldConnection, "isUnfinished" | "lastActivity"> {
  readonly connection: T;
  readonly kind: (typeof kinds)[number]["name"];
  readonly holder: string;
}

/**
 * The connection to end if there are more than `maximum` (4 at least). It is of the first kind that exceeds its share;
 * of that kind's largest holder, a client or an account, if it holds more than its part; and of those the one that has
 * been idle or unfinished for longest, or else at work for longest. It is never the newest, whose head may be about to
 * arrive.
 */
export function firstToGo<T extends HeldConnection>(
  connections: Iterable<T>,
  maximum: number,
): T | undefined {
  const ranked = [...connections].map(rankOf);
  if (ranked.length <= maximum) return undefined;
  for (const { name, part } of kinds) {
    const members = ranked.filter(({ kind }) => kind === name);
    const places = Math.floor(maximum / part);
    if (members.length > places)
      return longestWaiting(ofLargestHolder(members, places / holdersPerKind)).connection;
  }
  return undefined;
}

function rankOf<T extends HeldConnection>(connection: T): Ranked<T> {
  const { account, clientKey, isUnfinished, lastActivity } = connection;
  const strangers = isUnfinished ? "unfinished" : "answered";
  const kind = account === undefined ? strangers : "known";
  return { connection, kind, holder: account ?? clientKey, isUnfinished, lastActivity };
}

/** All of them, if no client and no account holds more than `most`. */
function ofLargestHolder<T>(members: readonly Ranked<T>[], most: number): readonly Ranked<T>[] {
  const held = new Map<string, number>();
  for (const { holder } of members) held.set(holder, (held.get(holder) ?? 0) + 1);
  const [largest, ranked] = [...held].reduce((one, other) => (other[1] > one[1] ? other : one));
  return ranked > most ? members.filter(({ holder }) => holder === largest) : members;
}

/** The one that has been idle or unfinished for longest, or else at work for longest. */
export function longestWaiting<T extends Waiting>(ranked: readonly T[]): T {
  return ranked.reduce((first, one) => (goesBefore(one, first) ? one : first));
}

type Waiting = Pick<HeldConnection, "isUnfinished" | "lastActivity">;

function goesBefore(one: Waiting, other: Waiting): boolean {
  if (one.isUnfinished !== other.isUnfinished) return one.isUnfinished;
  return one.lastActivity < other.lastActivity;
}
