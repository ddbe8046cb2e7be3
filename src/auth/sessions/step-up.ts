import type { Uptime } from "../../host/ports.ts";

/** Seconds for which a password given again, or a sign-in with all factors, is good. */
export const stepUpSeconds = 5 * 60;

/** Which sessions gave all factors a short while ago, when they began or again; forgotten at a restart. */
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
