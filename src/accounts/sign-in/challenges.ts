import { randomBytes } from "node:crypto";
import type { Timers, Uptime } from "../../host/ports.ts";
import type { EventSink } from "../../journal/events/event.ts";
import type { RequestContext } from "../request-context.ts";
import { hashOfToken } from "../sessions/refresh-token.ts";
import { createTimedTable } from "../timed-table.ts";
import type { Account } from "../users/account.ts";

/** Seconds between a right password and its code. */
const challengeSeconds = 5 * 60;

const wrongCodesAllowed = 5;

/** Challenges kept. Each took a right password, so strangers cannot fill the table. */
const maximumChallenges = 1_000;

/** A user whose password was right, and the request that it came with. */
interface Asked {
  readonly account: Pick<Account, "id" | "username">;
  readonly context: RequestContext;
}

/** A sign-in whose password was right and whose code has not come yet. */
export interface Challenge extends Asked {
  /** The hash that the password matched: if the password changes meanwhile, the challenge ends. */
  readonly passwordHash: string;
  /** The hash of that password at today's cost, if it was stored at a lower one. */
  readonly rehashed: string | undefined;
}

export type Challenges = ReturnType<typeof createChallenges>;

/**
 * Challenges. They are only in memory: a restart costs one password. Looked up by digest, so that the time of a look-up
 * reveals nothing of a token. Where no second step follows there is an event, as the password may be in other hands.
 */
export function createChallenges({ uptime, timers }: { uptime: Uptime; timers: Timers }, events: EventSink) {
  const challenges = createTimedTable<Challenge & { wrongCodes: number }>({
    ...{ seconds: challengeSeconds, uptime, most: maximumChallenges },
  });
  /** For each account and client, however many challenges they open: takes the event back. */
  const awaited = new Map<string, () => void>();
  const keyOf = ({ account, context }: Asked): string => `${account.id} ${context.clientKey}`;
  const answered = (asked: Asked): void => {
    awaited.get(keyOf(asked))?.();
    awaited.delete(keyOf(asked));
  };
  const abandoned = (asked: Asked): void => {
    answered(asked);
    const { address: from, clientKey, requestId } = asked.context;
    const { id, username: name } = asked.account;
    const actor = { kind: "anonymous", id: null, name: null } as const;
    const facts = { type: "sign_in.refused", actor, subject: { id, name }, from, requestId } as const;
    events.refuse({ ...facts, client: clientKey ?? from, details: { operation: "login" } }, "totp_required");
  };
  return {
    open: (challenge: Challenge): string => {
      const token = `stc_${randomBytes(24).toString("base64url")}`;
      challenges.put(hashOfToken(token), { ...challenge, wrongCodes: 0 }, challenge.account.id);
      const key = keyOf(challenge);
      const wait = () => timers.after(challengeSeconds, () => abandoned(challenge));
      if (!awaited.has(key)) awaited.set(key, wait());
      return token;
    },
    /** Undefined if the token is unknown, too old, or was tried too often. */
    find: (token: string): Challenge | undefined => challenges.get(hashOfToken(token)),
    /** Counts a wrong code, which has an event of its own; the fifth ends the challenge. */
    failed: (token: string): void => {
      const challenge = challenges.get(hashOfToken(token));
      if (!challenge) return;
      answered(challenge);
      challenge.wrongCodes += 1;
      if (challenge.wrongCodes >= wrongCodesAllowed) challenges.delete(hashOfToken(token));
    },
    /** The second step was right: of a challenge, or in one request with the password. */
    close: (asked: Asked, token = ""): void => {
      answered(asked);
      challenges.delete(hashOfToken(token));
    },
  };
}
