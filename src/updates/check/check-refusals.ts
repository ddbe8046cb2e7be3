import { StewardError } from "../../contract/errors.ts";

/** Seconds between the beginnings of two checks. */
export const leastSecondsBetweenChecks = 10;

function rateLimited(message: string, seconds = leastSecondsBetweenChecks): StewardError {
  return new StewardError("rate_limited", message, { details: { retryAfterSeconds: Math.ceil(seconds) } });
}

/** `rate_limited`: `what` is in the way of a check for a while. */
export function heldUpBy(what: string): StewardError {
  return rateLimited(`${what}. Try again when it has ended; \`steward update status\` shows it.`);
}

/** `rate_limited`: the installer reads what a check would change. */
export function installerBusy(): StewardError {
  return heldUpBy("The installer is taking over an update");
}

/** `rate_limited`: the last check has only just begun. */
export function tooSoon(seconds: number): StewardError {
  return rateLimited(
    `The last check began less than ${leastSecondsBetweenChecks} seconds ago. Its outcome is in the status; try again in ${Math.ceil(seconds)} s.`,
    seconds,
  );
}

/** `shutting_down`: the agent ends. */
export function shuttingDown(): StewardError {
  return new StewardError("shutting_down", "The agent is stopping; nothing new is begun.");
}

/** Ends what settings or trust of before have begun. */
export function superseded(): StewardError {
  return new StewardError("shutting_down", "The settings or the root of trust have changed meanwhile.");
}
