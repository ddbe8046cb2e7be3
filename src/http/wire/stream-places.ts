import { StewardError } from "../../contract/errors.ts";
import { type Actor, roleOf } from "../call.ts";

/** Streams in total; of these, 16 are only for local root, which gets no more, and 16 only for administrators. */
export const maximumStreams = 64;
export const keptForLocalRoot = 16;
export const keptForAdministrators = 16;

/** Streams of a user in all their sessions and API tokens: otherwise one user could hold all places. */
export const streamsPerUser = 6;

/**
 * Streams of one session or API token: a browser opens six connections to a device, and the console needs others too.
 */
export const streamsPerSession = 3;

/** Seconds after which a refused client may try again. */
const refusedSeconds = 5;

/** Throws `rate_limited` if this caller gets no further stream, with the limit that is reached and the remedy. */
export function checkStreamPlaces(open: readonly Actor[], actor: Actor): void {
  for (const { whose, includes, maximum, advice } of limitsOf(actor)) {
    if (open.filter(includes).length < maximum) continue;
    const message = `${whose} ${maximum} event streams open, which is the limit. ${advice}`;
    throw new StewardError("rate_limited", message, { details: { retryAfterSeconds: refusedSeconds } });
  }
}

interface Limit {
  whose: string;
  includes: (actor: Actor) => boolean;
  maximum: number;
  advice: string;
}

/** The limits of a caller, its own first. */
function limitsOf(actor: Actor): Limit[] {
  const account = accountOf(actor);
  const isUser = (other: Actor): boolean => accountOf(other) !== undefined;
  if (account === undefined) {
    return [
      {
        whose: "Local root has",
        includes: (other) => !isUser(other),
        ...{ maximum: keptForLocalRoot, advice: endOne },
      },
    ];
  }
  const forUsers = maximumStreams - keptForLocalRoot;
  return [
    {
      whose: actor.kind === "token" ? "This API token has" : "This session has",
      includes: (other) => loginOf(other) === loginOf(actor),
      ...{ maximum: streamsPerSession, advice: endOne },
    },
    {
      whose: `The sessions and API tokens of "${account.username}" together have`,
      includes: (other) => accountOf(other)?.id === account.id,
      ...{ maximum: streamsPerUser, advice: endOne },
    },
    ...(roleOf(actor) === "admin"
      ? []
      : [
          {
            whose: "Users who are not administrators have",
            includes: (other: Actor) => isUser(other) && roleOf(other) !== "admin",
            ...{ maximum: forUsers - keptForAdministrators, advice: askOthers },
          },
        ]),
    { whose: "All users together have", includes: isUser, maximum: forUsers, advice: askOthers },
  ];
}

const endOne = "End one of them, such as another window of the console, and try again.";
const askOthers = "Try again when one has ended, or ask an administrator to end sessions or API tokens.";

function accountOf(actor: Actor): { id: string; username: string } | undefined {
  return "account" in actor ? actor.account : undefined;
}

/** The session or the API token. */
function loginOf(actor: Actor): string | undefined {
  if (actor.kind === "user") return actor.session.id;
  return actor.kind === "token" ? actor.token.id : undefined;
}
