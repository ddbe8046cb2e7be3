import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Seconds that are long on any machine: what has not come by then does not come. */
export const longSeconds = 120;

/** Milliseconds between two looks, once it has lasted a while. */
const longestPause = 100;

/** Waits for what another process, or another part of this one, brings about. Throws where it does not come. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const begin = performance.now();
  for (let pause = 5; !(await isSo()); pause = Math.min(pause * 1.2, longestPause)) {
    assert.ok(performance.now() - begin < longSeconds * 1_000, `not within ${longSeconds} s: ${what}`);
    await delay(pause);
  }
}
