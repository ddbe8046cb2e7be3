import type { Uptime } from "../../host/ports.ts";

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
  const deadlines = new Map<string, number>();
  return {
    grant: (sessionId) => {
      for (const [id, deadline] of deadlines) if (uptime() >= deadline) deadlines.delete(id);
      deadlines.set(sessionId, uptime() + stepUpSeconds);
    },
    isGranted: (sessionId) => {
      const deadline = deadlines.get(sessionId);
      return deadline !== undefined && uptime() < deadline;
    },
  };
}
