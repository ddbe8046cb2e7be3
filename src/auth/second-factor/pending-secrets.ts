import type { Uptime } from "../../host/ports.ts";
import { makeSecret } from "./totp.ts";

/** Seconds between a secret and the first code of it. */
export const pendingSeconds = 10 * 60;

/** Secrets that were shown to a user who has not enabled them yet; only in memory, and not yet asked for at sign-in. */
export interface PendingSecrets {
  /** A new one; it replaces the one before. */
  open(userId: string): Promise<string>;
  find(userId: string): string | undefined;
  forget(userId: string): void;
}

export function createPendingSecrets(uptime: Uptime): PendingSecrets {
  const secrets = new Map<string, { secret: string; deadline: number }>();
  return {
    open: async (userId) => {
      const secret = await makeSecret();
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
