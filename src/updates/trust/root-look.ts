import type { Uptime } from "../../host/ports.ts";
import type { Trust } from "./trust.ts";

/** Seconds between looks at the installed root on occasion of somebody reading the status. */
const lookSeconds = 5;

/**
 * Looks from time to time whether another root was installed. What is found shows at the next reading, since no reading
 * waits for a disk. `onInstalled`: there is a usable one now, and there was none.
 */
export function createRootLook(
  { trust, uptime }: { readonly trust: Trust; readonly uptime: Uptime },
  onInstalled: () => void,
): () => void {
  let lookedAt = uptime();
  return () => {
    if (uptime() - lookedAt < lookSeconds) return;
    lookedAt = uptime();
    const before = trust.standing().kind;
    void trust.load().then(({ kind }) => {
      if (before !== "usable" && kind === "usable") onInstalled();
    });
  };
}
