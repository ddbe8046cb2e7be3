import type { User } from "../../contract/types.ts";

/** A message between the tabs of one browser and origin. */
type TabMessage =
  /** A user has signed in. No token is in it: pages of other programs on this port would hear it. */
  | { readonly kind: "signed-in"; readonly userId: string }
  | { readonly kind: "user"; readonly user: User }
  | { readonly kind: "ended" };

const channel = new BroadcastChannel("steward");

export function tellOtherTabs(message: TabMessage): void {
  channel.postMessage(message);
}

export function hearOtherTabs(listener: (message: TabMessage) => void): void {
  channel.addEventListener("message", ({ data }) => listener(data as TabMessage));
}
