import { monotonicMilliseconds } from "../../host/monotonic.ts";

/** A connection whose next request waits for its turn. */
export interface WaitingRequest {
  /** The account whose valid token its connection carried last; undefined: a stranger's. */
  readonly account: string | undefined;
  readonly clientKey: string;
  /** Begins the request. Call `answered` when its answer has left, or if there is nothing more to answer. */
  begin(answered: () => void): void;
}

export type RequestQueue = ReturnType<typeof createRequestQueue>;

/**
 * Milliseconds of work in a turn of the event loop, after which no further request begins in it. libuv accepts one
 * connection in each turn, and 500 may be waiting: they must not wait for more than about half a second.
 */
const turnMilliseconds = 1;

/**
 * The one order in which the process begins requests. It goes in rounds: in each, every holder (an account, or the
 * client of a stranger) has one request begun, accounts first. A holder who comes during a round and has had nothing in
 * it takes part at once. So no holder is served twice more before a newcomer, however many requests it has sent.
 */
export function createRequestQueue(
  monotonic: () => number = monotonicMilliseconds,
  inNextTurn: (turn: () => void) => void = setImmediate,
) {
  const rounds = createRounds();
  let turns = 0;
  let turnBegan = 0;
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    inNextTurn(turn);
  };
  const turn = (): void => {
    isScheduled = false;
    turns += 1;
    turnBegan = monotonic();
    beginOne();
  };
  const beginOne = (): void => {
    const request = rounds.take();
    if (request === undefined) return;
    if (!rounds.isEmpty()) schedule();
    const own = turns;
    // An answer that waited for something comes in a later turn, which has begun another request by then.
    request.begin(() => {
      if (turns === own && monotonic() - turnBegan < turnMilliseconds) beginOne();
    });
  };
  return {
    add: (request: WaitingRequest): void => {
      rounds.add(request);
      schedule();
    },
  };
}

/** The holders of one round, in the order of service. */
interface Round {
  readonly known: string[];
  readonly strangers: string[];
}

function createRounds() {
  const waiting = new Map<string, WaitingRequest[]>();
  /** Holders who have had their request of the present round. */
  const served = new Set<string>();
  let present = newRound();
  let following = newRound();
  const enlist = (holder: string, { account }: WaitingRequest): void => {
    const round = served.has(holder) ? following : present;
    (account === undefined ? round.strangers : round.known).push(holder);
  };
  return {
    isEmpty: () => waiting.size === 0,
    add: (request: WaitingRequest): void => {
      const holder = request.account ?? request.clientKey;
      const own = waiting.get(holder);
      if (own) own.push(request);
      else {
        waiting.set(holder, [request]);
        enlist(holder, request);
      }
    },
    take: (): WaitingRequest | undefined => {
      if (isOver(present)) {
        [present, following] = [following, present];
        served.clear();
      }
      const holder = present.known.shift() ?? present.strangers.shift();
      const own = holder === undefined ? undefined : waiting.get(holder);
      if (holder === undefined || own === undefined) return undefined;
      served.add(holder);
      const request = own.shift();
      const [next] = own;
      if (next) enlist(holder, next);
      else waiting.delete(holder);
      return request;
    },
  };
}

function newRound(): Round {
  return { known: [], strangers: [] };
}

function isOver({ known, strangers }: Round): boolean {
  return known.length === 0 && strangers.length === 0;
}
