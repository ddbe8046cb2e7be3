/** A session at a page that it has opened. */
export interface Visit {
  readonly sessionId: string;
  readonly page: string;
}

interface EndedSessionsParts {
  /** The visits of the living sessions. */
  readonly visits: () => readonly Visit[];
  /** True while the session may open the page. */
  readonly isAllowed: (visit: Visit) => boolean;
  /** Judges at each change that may end a session or its right, and from time to time; returns what stops it. */
  readonly begin: (judge: () => void) => () => void;
}

/** Says which sessions may no longer open a page that they have opened (docs/design/product.md, rule 15). */
export function createEndedSessions({ visits, isAllowed, begin }: EndedSessionsParts) {
  const followers = new Set<(message: { readonly ended: string }) => void>();
  const open = new Map<string, Visit>();
  let stop = (): void => undefined;
  const visited = (visit: Visit): void => {
    if (followers.size > 0) open.set(`${visit.sessionId} ${visit.page}`, visit);
  };
  const judge = (): void => {
    const lost = [...open].filter(([, visit]) => !isAllowed(visit));
    for (const [key] of lost) open.delete(key);
    const ids = new Set(lost.map(([, { sessionId }]) => sessionId));
    for (const ended of ids) for (const send of followers) send({ ended });
  };
  return {
    /** The session has been let into the page. */
    visited,
    /** Sends the id of each such session from now on. Returns what stops it. */
    follow: (send: (message: { readonly ended: string }) => void): (() => void) => {
      if (followers.size === 0) stop = begin(judge);
      followers.add(send);
      for (const visit of visits()) if (isAllowed(visit)) visited(visit);
      return () => {
        if (!followers.delete(send) || followers.size > 0) return;
        stop();
        open.clear();
      };
    },
  };
}
