import { monotonicMilliseconds } from "../../host/monotonic.ts";

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
 * The one order in which the process begins requests: accounts and the clients of strangers in turn, and of each kind
 * the holder who has waited longest since its last request. So no holder is served twice more before a newcomer of its
 * kind, however many requests it has sent, and strangers, however many, have every other request at most.
 */
export function createRequestQueue(
  monotonic: () => number = monotonicMilliseconds,
  inNextTurn: (turn: () => void) => void = setImmediate,
) {
  const waiting = createWaiting();
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
    const request = waiting.take();
    if (request === undefined) return;
    if (!waiting.isEmpty()) schedule();
    const own = turns;
    // An answer that waited for something comes in a later turn, which has begun another request by then.
    request.begin(() => {
      if (turns === own && monotonic() - turnBegan < turnMilliseconds) beginOne();
    });
  };
  return {
    add: (request: WaitingRequest): void => {
      waiting.add(request);
      schedule();
    },
  };
}

/** The requests that wait, by their holders; the holder who is next comes first. */
function createWaiting() {
  const known = new Map<string, WaitingRequest[]>();
  const strangers = new Map<string, WaitingRequest[]>();
  let isTurnOfStrangers = false;
  return {
    isEmpty: () => known.size + strangers.size === 0,
    add: (request: WaitingRequest): void => {
      const holders = request.account === undefined ? strangers : known;
      const holder = request.account ?? request.clientKey;
      const own = holders.get(holder);
      if (own) own.push(request);
      else holders.set(holder, [request]);
    },
    take: (): WaitingRequest | undefined => {
      const holders = known.size === 0 || (isTurnOfStrangers && strangers.size > 0) ? strangers : known;
      isTurnOfStrangers = holders === known;
      const [next] = holders;
      if (next === undefined) return undefined;
      const [holder, own] = next;
      const request = own.shift();
      holders.delete(holder);
      if (own.length > 0) holders.set(holder, own);
      return request;
    },
  };
}
