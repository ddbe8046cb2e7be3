import { createHash, randomBytes } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";

/** Seconds between a right password and the code that belongs to it. */
const challengeSeconds = 5 * 60;

/** Wrong codes that one challenge takes. */
const wrongCodesAllowed = 5;

/** Challenges kept; the oldest goes first. Each took a right password, so strangers cannot fill them. */
const maximumChallenges = 1_000;

/** A sign-in whose password was right and whose code is still to come. */
export interface Challenge {
  readonly userId: string;
  /** The hash that the password was right for: another password meanwhile ends the challenge. */
  readonly passwordHash: string;
  /** Of that password at today's cost, where it was stored at a lower one. */
  readonly rehashed: string | undefined;
}

/** Challenges, in memory alone: a restart costs one password. */
export interface Challenges {
  /** A token for it. */
  open(challenge: Challenge): string;
  /** Undefined for a token that is not known, too old, or was tried too often. */
  find(token: string): Challenge | undefined;
  /** A code was wrong; the fifth ends the challenge. */
  failed(token: string): void;
  close(token: string): void;
}

export function createChallenges(uptime: Uptime): Challenges {
  const challenges = new Map<string, Challenge & { deadline: number; wrongCodes: number }>();
  return {
    open: (challenge) => {
      for (const [key, { deadline }] of challenges) {
        if (uptime() >= deadline || challenges.size >= maximumChallenges) challenges.delete(key);
      }
      const token = `stc_${randomBytes(24).toString("base64url")}`;
      challenges.set(keyOf(token), { ...challenge, deadline: uptime() + challengeSeconds, wrongCodes: 0 });
      return token;
    },
    find: (token) => {
      const challenge = challenges.get(keyOf(token));
      return challenge && uptime() < challenge.deadline ? challenge : undefined;
    },
    failed: (token) => {
      const challenge = challenges.get(keyOf(token));
      if (!challenge) return;
      challenge.wrongCodes += 1;
      if (challenge.wrongCodes >= wrongCodesAllowed) challenges.delete(keyOf(token));
    },
    close: (token) => void challenges.delete(keyOf(token)),
  };
}

/** By digest, so that a look-up's time says nothing of a token. */
function keyOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
