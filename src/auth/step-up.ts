import type { Uptime } from "../host/ports.ts";

/** Seconds that a password given again is good for. */
export const stepUpSeconds = 5 * 60;

/** Which sessions gave their password again a short while ago; forgotten at a restart. */
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
