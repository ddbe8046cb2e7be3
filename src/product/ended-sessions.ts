/** A session at a page that it has opened. */
export interface Visit {
  readonly sessionId: string;
  readonly page: string;
}

export interface EndedSessionsOptions {
  /** The visits of the living sessions. */
  readonly visits: () => readonly Visit[];
  /** True while the session may open the page. */
  readonly isAllowed: (visit: Visit) => boolean;
  /** Calls at each change that may end a session or its right, and returns what stops it. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly every: (seconds: number, begin: () => void) => () => void;
}

export type FollowSessions = EndedSessions["follow"];

type Send = (message: { readonly ended: string }) => void;

/** Seconds between two judgements without a change: time ends sessions too. */
const judgeSeconds = 30;

/** Says which sessions may no longer open a page that they have opened (docs/design/product.md, rule 15). */
export type EndedSessions = ReturnType<typeof createEndedSessions>;

export function createEndedSessions({ visits, isAllowed, subscribe, every }: EndedSessionsOptions) {
  const followers = new Set<Send>();
  const open = new Map<string, Visit>();
  let stop = (): void => undefined;
  const visited = (visit: Visit): void => {
    if (followers.size > 0) open.set(`${visit.sessionId} ${visit.page}`, visit);
  };
  const judge = (): void => {
    const lost = [...open].filter(([, visit]) => !isAllowed(visit));
    for (const [key] of lost) open.delete(key);
    for (const ended of new Set(lost.map(([, { sessionId }]) => sessionId)))
      for (const send of followers) send({ ended });
  };
  const begin = (): (() => void) => {
    const stops = [subscribe(judge), every(judgeSeconds, judge)];
    return () => {
      for (const one of stops) one();
    };
  };
  return {
    /** The session has been let into the page. */
    visited,
    /** Sends the id of each such session from now on. Returns what stops it. */
    follow: (send: Send): (() => void) => {
      if (followers.size === 0) stop = begin();
      // One function may follow twice.
      const follower: Send = (message) => send(message);
      followers.add(follower);
      for (const visit of visits()) if (isAllowed(visit)) visited(visit);
      return () => {
        if (!followers.delete(follower) || followers.size > 0) return;
        stop();
        open.clear();
      };
    },
  };
}
