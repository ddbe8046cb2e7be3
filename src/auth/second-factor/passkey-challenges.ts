import { randomBytes } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import { createTimedTable } from "../timed-table.ts";

/** Seconds for a person to answer with a passkey. */
export const passkeySeconds = 5 * 60;

/** Challenges kept. Each took a right password. */
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
  const challenges = createTimedTable<{ userId: string; purpose: Purpose }>({
    ...{ seconds: passkeySeconds, uptime, most: maximumChallenges },
  });
  return {
    open: (userId, purpose) => {
      const challenge = randomBytes(32).toString("base64url");
      challenges.put(challenge, { userId, purpose }, userId);
      return challenge;
    },
    take: (userId, purpose, clientData) => {
      const challenge = challengeIn(clientData);
      const open = challenge === undefined ? undefined : challenges.get(challenge);
      if (challenge === undefined || open?.userId !== userId || open.purpose !== purpose) return undefined;
      challenges.delete(challenge);
      return challenge;
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
