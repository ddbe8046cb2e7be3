import type { Uptime } from "../../host/ports.ts";
import { createTimedTable } from "../timed-table.ts";

/** Seconds for which a repeated password, or a sign-in with all factors, counts. */
export const stepUpSeconds = 5 * 60;

export type StepUps = ReturnType<typeof createStepUps>;

/**
 * Remembers the sessions that gave all factors a short while ago, at their beginning or again; forgotten at a restart.
 */
export function createStepUps(uptime: Uptime) {
  const granted = createTimedTable<true>({ seconds: stepUpSeconds, uptime });
  return {
    grant: (sessionId: string): void => granted.put(sessionId, true),
    isGranted: (sessionId: string): boolean => granted.get(sessionId) === true,
  };
}
