import { setTimeout as delay } from "node:timers/promises";
import { createHttpClient } from "./client.ts";
import type { Places } from "./places.ts";

/** Milliseconds: the agent checks every two seconds if its state was repaired, and needs some more to restart. */
const longestWait = 20_000;
const pause = 200;

/**
 * Returns when an agent in rescue has found its state repaired, so that the next command meets one that serves; at once
 * where none answers, and after a while where something else keeps it in rescue.
 */
export async function untilOutOfRescue(places: Places): Promise<void> {
  const client = createHttpClient(places, { timeoutMilliseconds: 5_000 });
  const end = performance.now() + longestWait;
  while (performance.now() < end) {
    const health = await client.call("getHealth", {}).catch(() => null);
    if (health?.status !== "rescue") return;
    await delay(pause);
  }
}
