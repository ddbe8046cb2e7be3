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
 * The kinds of connections, in the order in which they give way, each with the share of all places, one in so many, that
 * the others cannot take from it. The shares make up the whole, so that where there are too many some kind has more than
 * its share. Unfinished requests cost a stranger nothing and go first. They keep a quarter all the same: a person who is
 * about to sign in is one of them until the head is there.
 */
const kinds = [
  { name: "unfinished", part: 4 },
  { name: "answered", part: 4 },
  { name: "known", part: 2 },
] as const;

/** Of a kind's places, one in so many is what a source or an account may hold before it gives way to others. */
const holdersPerKind = 4;

/** An occupant as it is at the moment of judging. */
interface Seat<T> extends Pick<Occupant, "isUnfinished" | "lastActivity"> {
  readonly occupant: T;
  readonly kind: (typeof kinds)[number]["name"];
  readonly holder: string;
}

/**
 * The connection that has to go when there are more than `maximum` (4 at least): of the first kind that has more than
 * its share; there of the source or account that holds most, if that is more than its part; there the one that has been
 * idle or unfinished for longest, or else at work for longest. Never the newest, whose head may be on its way.
 */
export function firstToGo<T extends Occupant>(occupants: Iterable<T>, maximum: number): T | undefined {
  const seats = [...occupants].map(seatOf);
  if (seats.length <= maximum) return undefined;
  for (const { name, part } of kinds) {
    const members = seats.filter(({ kind }) => kind === name);
    const places = Math.floor(maximum / part);
    if (members.length > places) return longestWaiting(ofLargestHolder(members, places / holdersPerKind));
  }
  return undefined;
}

function seatOf<T extends Occupant>(occupant: T): Seat<T> {
  const { account, source, isUnfinished, lastActivity } = occupant;
  const strangers = isUnfinished ? "unfinished" : "answered";
  const kind = account === undefined ? strangers : "known";
  return { occupant, kind, holder: account ?? source, isUnfinished, lastActivity };
}

/** All of them, where no source and no account holds more than `most`. */
function ofLargestHolder<T>(members: readonly Seat<T>[], most: number): readonly Seat<T>[] {
  const held = new Map<string, number>();
  for (const { holder } of members) held.set(holder, (held.get(holder) ?? 0) + 1);
  const [largest, seats] = [...held].reduce((one, other) => (other[1] > one[1] ? other : one));
  return seats > most ? members.filter(({ holder }) => holder === largest) : members;
}

function longestWaiting<T>(seats: readonly Seat<T>[]): T {
  return seats.reduce((first, seat) => (goesBefore(seat, first) ? seat : first)).occupant;
}

function goesBefore<T>(one: Seat<T>, other: Seat<T>): boolean {
  if (one.isUnfinished !== other.isUnfinished) return one.isUnfinished;
  return one.lastActivity < other.lastActivity;
}
