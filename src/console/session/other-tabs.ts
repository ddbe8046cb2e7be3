import type { Session, User } from "../../contract/types.ts";

/** A message between the tabs of one browser and origin. */
type TabMessage =
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
