import { randomBytes } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import { createTimedTable } from "../timed-table.ts";

/** Seconds for a person to answer with a passkey. */
export const passkeySeconds = 5 * 60;

/** Challenges kept. Each took a right password. */
const maximumChallenges = 1_000;

type Purpose = "creation" | "use";

export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>;

/** Challenges for passkeys, each good once. They are only in memory: a restart costs one password. */
export function createPasskeyChallenges(uptime: Uptime) {
  const challenges = createTimedTable<{ userId: string; purpose: Purpose }>({
    ...{ seconds: passkeySeconds, uptime, most: maximumChallenges },
  });
  return {
    /** 256 random bits, base64url. */
    open: (userId: string, purpose: Purpose): string => {
      const challenge = randomBytes(32).toString("base64url");
      challenges.put(challenge, { userId, purpose }, userId);
      return challenge;
    },
    /**
     * Takes the challenge that the browser has put into its client data, base64url (WebAuthn §5.8.1). Undefined if that is
     * malformed or of a page in another site's frame, or the challenge is not an open one of this user and purpose.
     */
    take: (userId: string, purpose: Purpose, clientData: string): string | undefined => {
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
