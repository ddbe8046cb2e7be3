import type { Uptime } from "../../host/ports.ts";
import { createTimedTable } from "../timed-table.ts";

/** Seconds for which a repeated password, or a sign-in with all factors, counts. */
export const stepUpSeconds = 5 * 60;

/**
 * Remembers the sessions that gave all factors a short while ago, at their beginning or again; forgotten at a restart.
 */
export interface StepUps {
  grant(sessionId: string): void;
  isGranted(sessionId: string): boolean;
}

export function createStepUps(uptime: Uptime): StepUps {
  const granted = createTimedTable<true>({ seconds: stepUpSeconds, uptime });
  return {
    grant: (sessionId) => granted.put(sessionId, true),
    isGranted: (sessionId) => granted.get(sessionId) === true,
  };
}
