/** For each connection the account whose valid token it carried last. */
const accounts = new WeakMap<object, string>();

/** Notes that a connection has just carried a valid token of this account, which protects its place. */
export function keepPlace(socket: object, account: string): void {
  if (accounts.get(socket) !== account) accounts.set(socket, account);
}

/** Undefined: it has carried no valid token. */
export function accountOf(socket: object): string | undefined {
  return accounts.get(socket);
}

/** A connection that holds a place, as the rule sees it. */
export interface Occupant {
  /** The account whose valid token it carried last; undefined: none, so it is a stranger's. */
  readonly account: string | undefined;
  /** Strangers are counted by it: their address, or the network that one subscriber has. */
  readonly clientKey: string;
  /** It is idle, or its request has not arrived completely. */
  readonly isUnfinished: boolean;
  /** A count of events, not a time: larger where a connection was made, or was answered, later. */
  readonly lastActivity: number;
}

/**
 * The kinds of connections, in the order in which they are ended, each with its share of all places (one in `part`), which
 * the others cannot take. The shares add up to the whole, so that with too many connections some kind has more than its
 * share. Unfinished requests cost a stranger nothing, so they go first. They keep a quarter, since a user who is about to
 * sign in is one of them until the head has arrived.
 */
const kinds = [
  { name: "unfinished", part: 4 },
  { name: "answered", part: 4 },
  { name: "known", part: 2 },
] as const;

/** One in so many of a kind's places is protected for each client or account that holds them. */
const holdersPerKind = 4;

/** An occupant at the moment of the decision. */
interface Seat<T> extends Pick<Occupant, "isUnfinished" | "lastActivity"> {
  readonly occupant: T;
  readonly kind: (typeof kinds)[number]["name"];
  readonly holder: string;
}

/**
 * The connection to end when there are more than `maximum` (4 at least): of the first kind that has more than its share;
 * of that kind's largest holder, a client or an account, if it holds more than its part; of those the one that has been
 * idle or unfinished for longest, or else at work for longest. Never the newest, whose head may be about to arrive.
 */
export function firstToGo<T extends Occupant>(occupants: Iterable<T>, maximum: number): T | undefined {
  const seats = [...occupants].map(seatOf);
  if (seats.length <= maximum) return undefined;
  for (const { name, part } of kinds) {
    const members = seats.filter(({ kind }) => kind === name);
    const places = Math.floor(maximum / part);
    if (members.length > places)
      return longestWaiting(ofLargestHolder(members, places / holdersPerKind)).occupant;
  }
  return undefined;
}

function seatOf<T extends Occupant>(occupant: T): Seat<T> {
  const { account, clientKey, isUnfinished, lastActivity } = occupant;
  const strangers = isUnfinished ? "unfinished" : "answered";
  const kind = account === undefined ? strangers : "known";
  return { occupant, kind, holder: account ?? clientKey, isUnfinished, lastActivity };
}

/** All of them, where no client and no account holds more than `most`. */
function ofLargestHolder<T>(members: readonly Seat<T>[], most: number): readonly Seat<T>[] {
  const held = new Map<string, number>();
  for (const { holder } of members) held.set(holder, (held.get(holder) ?? 0) + 1);
  const [largest, seats] = [...held].reduce((one, other) => (other[1] > one[1] ? other : one));
  return seats > most ? members.filter(({ holder }) => holder === largest) : members;
}

/** The one that has been idle or unfinished for longest, or else at work for longest. */
export function longestWaiting<T extends Waiting>(seats: readonly T[]): T {
  return seats.reduce((first, seat) => (goesBefore(seat, first) ? seat : first));
}

type Waiting = Pick<Occupant, "isUnfinished" | "lastActivity">;

function goesBefore(one: Waiting, other: Waiting): boolean {
  if (one.isUnfinished !== other.isUnfinished) return one.isUnfinished;
  return one.lastActivity < other.lastActivity;
}
