import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import type { EventType } from "../../contract/event-types.ts";
import type { AuditEvent, TimeSync, User } from "../../contract/types.ts";
import { titleOf } from "../../contract/words/en/problems.ts";
import type { Command } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { findUser } from "./user-lookup.ts";

/** Newest events of a type that are looked through, the contract's upper bound. */
const eventsSeen = 200;

const skewsShown = 5;

/** Seconds that two differences may be apart to be one wrong clock: a code's step. */
const sameSkewSeconds = 30;

/** Recovery codes below which new ones are advised, as at a sign-in. */
const fewRecoveryCodes = 3;

const refusalsShown = 5;

/** A wrong code that was the right one of another time. */
export interface SeenSkew {
  /** Its place among all events: times give no order if the clock was set in between. */
  readonly seq: number;
  readonly at: string;
  readonly from: string;
  /** Positive: the code was one of the future, by the device's clock. */
  readonly skewSeconds: number;
  /** The device's clock was trusted or accepted at that moment. */
  readonly isClockTrusted: boolean;
}

/** Refused sign-ins of one kind. */
export interface Refusal {
  readonly at: string;
  readonly from: string;
  readonly code: string | null;
  /** A finer cause under the code; empty: none is known. */
  readonly reason: string;
  readonly count: number;
}

export interface DiagnosisFacts {
  readonly user: User;
  /** All three in the order of the events. */
  readonly skews: readonly SeenSkew[];
  readonly steps: readonly { readonly seq: number; readonly seconds: number }[];
  readonly refusals: readonly Refusal[];
  /** The device's facts about its own clock. */
  readonly clock: Pick<TimeSync, "server_time" | "state" | "trust" | "summary">;
}

export const diagnose: Command = {
  path: ["user", "diagnose"],
  summary: "Find out why a user cannot sign in: account, locks, second factor, and signs of a wrong clock",
  examples: [{ line: "steward user diagnose anna", what: "why can anna not sign in?" }],
  positionals: [{ name: "NAME", live: "users" }],
  worksOffline: true,
  async run({ positionals: [name = ""], client, output }) {
    const user = await findUser(client, name);
    const isOfUser = ({ subject }: AuditEvent) => subject?.id === user.id;
    const eventsOf = async (type: EventType) =>
      (await newestEvents(client, type, { name: user.id })).filter(isOfUser);
    const skews = await eventsOf("two_factor.skew_seen");
    const refused = (await eventsOf("sign_in.refused")).slice(-refusalsShown);
    const steps = await newestEvents(client, "clock.epoch_raised");
    const clock = await client.call("getTimeSync", {});
    const facts = {
      user,
      skews: skews.map(skewOf),
      steps: steps.map(({ seq, details }) => ({ seq, seconds: Number(details.step_seconds) })),
      refusals: refused.map(refusalOf),
    };
    await output.values({ user, events: skews, refused, steps, clock }, diagnosisOf({ ...facts, clock }));
  },
};

/** In their order. */
async function newestEvents(
  client: Client,
  type: EventType,
  filter: { name?: string } = {},
): Promise<readonly AuditEvent[]> {
  const query = { type, ...filter, limit: eventsSeen };
  return (await client.call("listEvents", { query })).items.toReversed();
}

function skewOf({ seq, time, from, details }: AuditEvent): SeenSkew {
  const { skew_seconds, is_clock_trusted } = details;
  return {
    ...{ seq, at: time, from, skewSeconds: Number(skew_seconds) },
    isClockTrusted: is_clock_trusted === true,
  };
}

function refusalOf({ time, from, code, count, details }: AuditEvent): Refusal {
  return { at: time, from, code, reason: String(details.reason ?? ""), count };
}

/** The reasons why a user cannot sign in, as far as they are known, with advice; a sentence or two on each line. */
export function diagnosisOf(facts: DiagnosisFacts): string[] {
  const { user, refusals, clock } = facts;
  const found = obstacles(user);
  return [
    ...found,
    ...(found.length === 0 ? ["The account is enabled and not locked."] : []),
    user.origin === "local" ? factorSentence(user) : providerSentence(user),
    ...refusals.map(refusalSentence),
    `The device's clock shows ${clock.server_time} (${clock.state}, trust ${clock.trust}). ${clock.summary.detail}`,
    ...skewSentences(facts),
  ];
}

function obstacles({ username, enabled, locked, must_change_password, two_factor }: User): string[] {
  const unlock = `steward user unlock ${username}`;
  return [
    ...(two_factor.sealing_key === "missing"
      ? [
          "This user's codes cannot be checked: the key that the secret was sealed with is not on this device. Recovery codes work. " +
            `Bring the key back (the agent's health says where), or take the factor away: steward user rescue ${username}`,
        ]
      : []),
    ...(enabled ? [] : [`The user is disabled. To let them sign in: steward user enable ${username}`]),
    ...(locked?.password
      ? [`After too many wrong passwords sign-in is locked until ${locked.until}; it ends with: ${unlock}`]
      : []),
    ...(locked?.totp
      ? [
          `After too many wrong codes, ten in a row or thirty within an hour, codes are locked until ${locked.until}; recovery codes work. The lock ends with: ${unlock}`,
        ]
      : []),
    ...(must_change_password
      ? ["It is a one-use password, which works for one sign-in or has already been used."]
      : []),
  ];
}

/** The provider has the password and the factors, so this device knows only the last sign-in that went well. */
function providerSentence({ username, role, origin, issuer, last_login_at }: User): string {
  const last = `the last one was at ${last_login_at ?? "an unknown time"}, with the role ${role}`;
  return origin === "provider"
    ? `${username} signs in at ${issuer}, where the password, the second factor and the groups are; ${last}. The host file names this provider.`
    : `${username} signed in at ${issuer}; ${last}. The host file does not name this provider, so no one can sign in with this account: a sign-in at another provider gets its own account.`;
}

function factorSentence({ username, two_factor }: User): string {
  const { enabled, enrolled_at, recovery_codes_remaining: left } = two_factor;
  if (!enabled) return `${username} has no second factor: the password is enough to sign in.`;
  const since = `${username} has a second factor since ${enrolled_at ?? "an unknown time"}`;
  const advice = left < fewRecoveryCodes ? `; new ones: steward user 2fa recovery-codes ${username}` : "";
  return `${since}; ${left} recovery codes are left${advice}.`;
}

/** Codes of a second factor, which is asked for only after the right password. */
const behindPassword: readonly (string | null)[] = [
  ...["totp_invalid", "totp_reused", "recovery_code_invalid", "passkey_invalid"],
];

function refusalSentence({ at, from, code, reason, count }: Refusal): string {
  const known = code !== null && Object.hasOwn(errorCodes, code) ? titleOf(code as ErrorCode) : code;
  const why = known ?? "no reason is known";
  const meaning = behindPassword.includes(code) ? ", after the right password: that caller knows it" : "";
  const times = count > 1 ? ` ${count} times` : "";
  return `At ${at} from ${from} sign-in was refused${times}: ${why}${reason === "" ? "" : ` (${reason})`}${meaning}.`;
}

function skewSentences({ user, skews, steps, clock }: DiagnosisFacts): string[] {
  const newest = skews.slice(-skewsShown);
  const last = newest.at(-1);
  if (!last) {
    if (!user.two_factor.enabled) return [];
    return ["As far back as the events go, no wrong code would have been right at another time."];
  }
  return [...newest.map(skewSentence), conclusion(newest, last, { steps, clock })];
}

function skewSentence({ at, from, skewSeconds, isClockTrusted }: SeenSkew): string {
  const doubt = isClockTrusted ? "" : ", which was not trusted then";
  return `At ${at} from ${from}: a code of a clock ${aside(skewSeconds)} the device's${doubt}.`;
}

function aside(seconds: number): string {
  return `${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"}`;
}

/** The authenticator is blamed only by a device whose clock is trusted, and has not been set since. */
function conclusion(
  skews: readonly SeenSkew[],
  last: SeenSkew,
  { steps, clock: { trust } }: Pick<DiagnosisFacts, "steps" | "clock">,
): string {
  const movedSince = (seq: number): number =>
    steps.reduce((sum, step) => (step.seq > seq ? sum + step.seconds : sum), 0);
  // By the device's clock of today.
  const present = (skew: SeenSkew): number => skew.skewSeconds - movedSince(skew.seq);
  const moved = movedSince(last.seq);
  if (moved !== 0) return sinceMoved(moved, present(last));
  const pair = skews.slice(-2);
  const isSteady =
    pair.length > 1 && pair.every((one) => Math.abs(present(one) - present(last)) <= sameSkewSeconds);
  if (!isSteady)
    return "The differences do not repeat: an old code, or a guess, is more likely than a wrong clock.";
  if (trust === "trusted" && pair.every((one) => one.isClockTrusted)) {
    const way = last.skewSeconds > 0 ? "back" : "forward";
    return `The same difference again, and the device's clock is trusted: set the authenticator's clock ${Math.abs(last.skewSeconds)} seconds ${way}.`;
  }
  return "The same difference again, and the device's clock is not certain: compare both with a watch, and set the wrong one (the device's: steward time status).";
}

function sinceMoved(moved: number, left: number): string {
  const set = `Since then the device's clock was set ${Math.abs(moved)} seconds ${moved > 0 ? "forward" : "back"}`;
  if (Math.abs(left) <= sameSkewSeconds)
    return `${set}: it was the device's clock that was wrong, and the codes of that authenticator fit now.`;
  return `${set}: by that clock the authenticator would be ${aside(left)} the device now. Sign in once more, and ask again.`;
}
