import type { Uptime } from "../../host/ports.ts";
import type { Trust } from "./trust.ts";

/** Seconds between polls of the installed root while the status is being read. */
const pollSeconds = 5;

/**
 * Polls whether another root was installed. A change shows at the next reading, since no reading waits for the disk.
 * `onInstalled`: a usable root was installed where there was none.
 */
export function createRootPoll(
  { trust, uptime }: { readonly trust: Trust; readonly uptime: Uptime },
  onInstalled: () => void,
): () => void {
  let polledAt = uptime();
  return () => {
    if (uptime() - polledAt < pollSeconds) return;
    polledAt = uptime();
    const before = trust.state().kind;
    void trust.load().then(({ kind }) => {
      if (before !== "usable" && kind === "usable") onInstalled();
    });
  };
}
