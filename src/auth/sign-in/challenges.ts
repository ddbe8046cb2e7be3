import { randomBytes } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import { hashOfToken } from "../sessions/refresh-token.ts";
import { createTimedTable } from "../timed-table.ts";

/** Seconds between a right password and its code. */
const challengeSeconds = 5 * 60;

/** Wrong codes that end a challenge. */
const wrongCodesAllowed = 5;

/** Challenges kept. Each took a right password, so strangers cannot fill the table. */
const maximumChallenges = 1_000;

/** A sign-in whose password was right and whose code has not come yet. */
export interface Challenge {
  readonly userId: string;
  /** The hash that the password matched: if the password changes meanwhile, the challenge ends. */
  readonly passwordHash: string;
  /** The hash of that password at today's cost, if it was stored at a lower one. */
  readonly rehashed: string | undefined;
}

export type Challenges = ReturnType<typeof createChallenges>;

/**
 * Challenges. They are only in memory: a restart costs one password. Looked up by digest, so that the time of a look-up
 * reveals nothing of a token.
 */
export function createChallenges(uptime: Uptime) {
  const challenges = createTimedTable<Challenge & { wrongCodes: number }>({
    ...{ seconds: challengeSeconds, uptime, most: maximumChallenges },
  });
  return {
    /** Returns a token for the challenge. */
    open: (challenge: Challenge): string => {
      const token = `stc_${randomBytes(24).toString("base64url")}`;
      challenges.put(hashOfToken(token), { ...challenge, wrongCodes: 0 }, challenge.userId);
      return token;
    },
    /** Undefined if the token is unknown, too old, or was tried too often. */
    find: (token: string): Challenge | undefined => challenges.get(hashOfToken(token)),
    /** Counts a wrong code; the fifth ends the challenge. */
    failed: (token: string): void => {
      const challenge = challenges.get(hashOfToken(token));
      if (!challenge) return;
      challenge.wrongCodes += 1;
      if (challenge.wrongCodes >= wrongCodesAllowed) challenges.delete(hashOfToken(token));
    },
    close: (token: string): void => challenges.delete(hashOfToken(token)),
  };
}
