/** The system peer, and the source that has been better lately. */
export interface PeerState {
  /** null: none was ever selected, or there is no agreement. */
  readonly peer: string | null;
  readonly challenger: string | null;
  /** Selections in a row that the challenger was the best in. */
  readonly wins: number;
}

export const noPeer: PeerState = { peer: null, challenger: null, wins: 0 };

/** Selections in a row that another source has to be the best in before it becomes the system peer. */
const winsNeeded = 3;

/**
 * The system peer after one more selection. Without it two sources of similar merit would alternate at every poll
 * (RFC 5905 §11.2.3 keeps the old peer among the survivors for the same reason). `survivors` are ids, best first; a peer
 * that does not survive is replaced at once.
 */
export function nextPeer(state: PeerState, survivors: readonly string[]): PeerState {
  const [best] = survivors;
  if (best === undefined) return noPeer;
  const { peer, challenger } = state;
  if (peer === null || peer === best || !survivors.includes(peer)) return { ...noPeer, peer: best };
  const wins = challenger === best ? state.wins + 1 : 1;
  return wins < winsNeeded ? { peer, challenger: best, wins } : { ...noPeer, peer: best };
}
