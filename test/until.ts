import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Waits up to ten seconds for what another process brings about. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_000 && !(await isSo()); tries += 1) await delay(10);
  assert.ok(await isSo(), `not within ten seconds: ${what}`);
}
