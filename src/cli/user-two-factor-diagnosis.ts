import type { AuditEvent, TimeSync, User } from "../contract/types.ts";
import type { Command } from "./command.ts";
import type { Client } from "./context.ts";
import { findUser } from "./user-lookup.ts";

/** Newest events that are looked through, the contract's upper bound; they are of all users. */
const eventsSeen = 200;

/** Differences that are listed. */
const skewsShown = 5;

/** Seconds that two differences may be apart to be one wrong clock: a code's step. */
const sameSkewSeconds = 30;

/** Recovery codes below which new ones are advised, as at a sign-in. */
const fewRecoveryCodes = 3;

/** A wrong code that was the right one of another time. */
export interface SeenSkew {
  readonly at: string;
  readonly from: string;
  /** Positive: the code was one of the future, by the device's clock. */
  readonly skewSeconds: number;
  readonly isClockVouchedFor: boolean;
}

export interface DiagnosisFacts {
  readonly user: User;
  /** In the order of time. */
  readonly skews: readonly SeenSkew[];
  /** What the device knows of its own clock. */
  readonly clock: Pick<TimeSync, "server_time" | "state" | "trust" | "message">;
}

export const diagnose: Command = {
  path: ["user", "2fa", "diagnose"],
  summary: "Say why codes are refused: locks, recovery codes, and what wrong codes tell of the clocks",
  positionals: [{ name: "NAME" }],
  options: [],
  worksOffline: true,
  async run({ positionals: [name = ""], client, output }) {
    const user = await findUser(client, name);
    const events = await skewEvents(client, user);
    const clock = await client.call("getTimeSync", {});
    const sentences = diagnosisOf({ user, skews: events.map(skewOf), clock });
    await output.values({ user, events, clock }, sentences);
  },
};

async function skewEvents(client: Client, { id }: User): Promise<AuditEvent[]> {
  const { items } = await client.call("listEvents", {
    query: { type: "two_factor.skew_seen", limit: eventsSeen },
  });
  return items.filter(({ subject }) => subject?.id === id);
}

function skewOf({ time, from, details }: AuditEvent): SeenSkew {
  const { skew_seconds, is_clock_vouched_for } = details;
  return {
    at: time,
    from,
    skewSeconds: Number(skew_seconds),
    isClockVouchedFor: is_clock_vouched_for === true,
  };
}

/** What is known of a user's second factor, and what to do about it, a sentence or two a line. */
export function diagnosisOf({ user, skews, clock }: DiagnosisFacts): string[] {
  return [...obstacles(user), factorSentence(user), clockSentence(clock), ...skewSentences(skews)];
}

function obstacles({ username, enabled, locked, must_change_password, two_factor }: User): string[] {
  const unlock = `steward user unlock ${username}`;
  return [
    ...(two_factor.sealing_key === "missing"
      ? [
          "No code of this user's can be checked: the key that the secret was sealed with is not on this device. Recovery codes work. " +
            `Bring the key back (the agent's health says where), or take the factor away: steward user rescue ${username}`,
        ]
      : []),
    ...(enabled ? [] : [`The user is disabled: nothing signs in before: steward user enable ${username}`]),
    ...(locked?.password
      ? [`After too many wrong passwords sign-in is locked until ${locked.until}; it ends with: ${unlock}`]
      : []),
    ...(locked?.totp
      ? [
          `After too many wrong codes these are locked until ${locked.until}; recovery codes work. It ends with: ${unlock}`,
        ]
      : []),
    ...(must_change_password
      ? ["The password is a one-use one, good for one sign-in or spent already."]
      : []),
  ];
}

function factorSentence({ username, two_factor }: User): string {
  const { enabled, enrolled_at, recovery_codes_remaining: left } = two_factor;
  if (!enabled) return `${username} has no second factor: the password alone signs in.`;
  const since = `${username} has a second factor since ${enrolled_at ?? "an unknown time"}`;
  const advice = left < fewRecoveryCodes ? `; new ones: steward user 2fa recovery-codes ${username}` : "";
  return `${since}; ${left} recovery codes are left${advice}.`;
}

function clockSentence({ server_time, state, trust, message }: DiagnosisFacts["clock"]): string {
  return `The device's clock shows ${server_time} (${state}, trust ${trust}). ${message}`;
}

function skewSentences(skews: readonly SeenSkew[]): string[] {
  const newest = skews.slice(-skewsShown);
  const last = newest.at(-1);
  if (!last) return ["As far as the events go back, no wrong code was the right one of another time."];
  return [...newest.map(skewSentence), conclusion(newest, last)];
}

function skewSentence({ at, from, skewSeconds }: SeenSkew): string {
  const side = skewSeconds > 0 ? "ahead of" : "behind";
  return `At ${at} from ${from}: a code of a clock ${Math.abs(skewSeconds)} seconds ${side} the device's.`;
}

function conclusion(skews: readonly SeenSkew[], last: SeenSkew): string {
  const isSteady =
    skews.length > 1 &&
    skews.slice(-2).every((one) => Math.abs(one.skewSeconds - last.skewSeconds) <= sameSkewSeconds);
  if (!isSteady)
    return "The differences do not repeat: an old code, or a guess, is more likely than a wrong clock.";
  if (last.isClockVouchedFor) {
    return "The same difference again, and the device's clock was synchronised: set the authenticator's clock.";
  }
  return "The same difference again, and nobody vouched for the device's clock: compare both with a watch, and set the wrong one.";
}
