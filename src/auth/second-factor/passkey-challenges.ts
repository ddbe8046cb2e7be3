import { randomBytes } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";

/** Seconds for a person to answer with a passkey. */
export const passkeySeconds = 5 * 60;

/** Challenges kept; the oldest is dropped first. Each took a right password. */
const maximumChallenges = 1_000;

type Purpose = "creation" | "use";

/** Challenges for passkeys, each good once. They are only in memory: a restart costs one password. */
export interface PasskeyChallenges {
  /** 256 random bits, base64url. */
  open(userId: string, purpose: Purpose): string;
  /**
   * Takes the challenge that the browser has put into its client data, base64url (WebAuthn §5.8.1). Undefined if that is
   * malformed or of a page in another site's frame, or the challenge is not an open one of this user and purpose.
   */
  take(userId: string, purpose: Purpose, clientData: string): string | undefined;
}

export function createPasskeyChallenges(uptime: Uptime): PasskeyChallenges {
  const challenges = new Map<string, { userId: string; purpose: Purpose; deadline: number }>();
  return {
    open: (userId, purpose) => {
      for (const [key, { deadline }] of challenges)
        if (uptime() >= deadline || challenges.size >= maximumChallenges) challenges.delete(key);
      const challenge = randomBytes(32).toString("base64url");
      challenges.set(challenge, { userId, purpose, deadline: uptime() + passkeySeconds });
      return challenge;
    },
    take: (userId, purpose, clientData) => {
      const challenge = challengeIn(clientData);
      const open = challenge === undefined ? undefined : challenges.get(challenge);
      if (challenge === undefined || open?.userId !== userId || open.purpose !== purpose) return undefined;
      challenges.delete(challenge);
      return uptime() < open.deadline ? challenge : undefined;
    },
  };
}

function challengeIn(clientData: string): string | undefined {
  try {
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(clientData, "base64url").toString("utf8"));
    return typeof challenge === "string" && crossOrigin !== true ? challenge : undefined;
  } catch {
    return undefined;
  }
}
