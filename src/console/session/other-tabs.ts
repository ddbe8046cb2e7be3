import type { Session, User } from "../../contract/types.ts";

/** What the tabs of one browser tell each other, all of one origin. */
export type TabMessage =
  | { readonly kind: "session"; readonly session: Session }
  | { readonly kind: "user"; readonly user: User }
  | { readonly kind: "ended" };

const channel = new BroadcastChannel("steward");

export function tellOtherTabs(message: TabMessage): void {
  channel.postMessage(message);
}

/** Hears what the other tabs say. */
export function hearOtherTabs(listener: (message: TabMessage) => void): void {
  channel.addEventListener("message", ({ data }) => listener(data as TabMessage));
}

/** Runs `work` while no other tab of this browser is in such a turn. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Absent outside secure contexts (plain HTTP beyond this machine); there the agent gives two that come at once the same.
  if (!("locks" in navigator)) return work();
  return navigator.locks.request("steward-refresh", work) as Promise<T>;
}
