import type { Uptime } from "../../host/ports.ts";
import { makeSecret } from "./totp.ts";

/** Seconds between a secret and the first code of it. */
export const pendingSeconds = 10 * 60;

/** Secrets that somebody has been shown and has not enabled yet; in memory alone, they never gate a sign-in. */
export interface PendingSecrets {
  /** A new one; the one before dies. */
  open(userId: string): string;
  find(userId: string): string | undefined;
  forget(userId: string): void;
}

export function createPendingSecrets(uptime: Uptime): PendingSecrets {
  const secrets = new Map<string, { secret: string; deadline: number }>();
  return {
    open: (userId) => {
      const secret = makeSecret();
      secrets.set(userId, { secret, deadline: uptime() + pendingSeconds });
      return secret;
    },
    find: (userId) => {
      const pending = secrets.get(userId);
      return pending && uptime() < pending.deadline ? pending.secret : undefined;
    },
    forget: (userId) => void secrets.delete(userId),
  };
}
