import type { Clock } from "../../clock/loop/clock.ts";
import { timeServer, timeServerErrors } from "../../contract/clock/time-server.ts";
import { StewardError } from "../../contract/errors.ts";
import type { timeOperations } from "../../contract/operations/time.ts";
import { readRfc3339 } from "../../contract/timestamps.ts";
import { requireStepUp } from "../authorise.ts";
import { type Actor, type HandlersOf, roleOf } from "../call.ts";

/** Shows the state of the clock, and corrects it. */
export function createTimeHandlers(clock: Clock): HandlersOf<typeof timeOperations> {
  return {
    getTimeSync: () => clock.status(),
    reselectTimeSources: () => clock.reselect(),
    syncTime: async ({ actor, body, note }) => {
      const { force = false, time } = body;
      if (force || time !== undefined) requireAdministrator(actor);
      if (force && time !== undefined) {
        throw new StewardError("validation_failed", "Give either force or time. Nothing was changed.");
      }
      if (time === undefined) {
        note({ details: { force } });
        return clock.sync({ isForced: force });
      }
      const moment = timeOf(time);
      const before = clock.status().server_time;
      const after = await clock.setTime(moment);
      note({ type: "clock.set_by_hand", details: { before, after: after.server_time } });
      return after;
    },
    probeTimeServers: ({ body: { servers } }) => {
      const errors = timeServerErrors(servers, "/servers");
      if (errors.length > 0) {
        const why = "A server is listed twice, or at an address that cannot be asked. Nothing was asked.";
        throw new StewardError("validation_failed", why, { details: { errors } });
      }
      return clock.probe(servers.map(timeServer));
    },
    resetClockFloor: async ({ note }) => {
      const before = clock.floor().toISOString();
      const status = await clock.resetFloor();
      note({ details: { before, after: status.floor_at } });
      return status;
    },
  };
}

function timeOf(text: string): Date {
  const time = readRfc3339(text);
  if (time) return time;
  throw new StewardError(
    "validation_failed",
    "`time` must be an RFC 3339 time such as 2026-11-20T14:03:00Z. Nothing was changed.",
  );
}

/**
 * A wrong clock could lock all users out, or make an expired token valid: setting it needs a user with their password.
 */
function requireAdministrator(actor: Actor): void {
  if (actor.kind === "token") {
    throw new StewardError(
      "token_not_allowed",
      "API tokens may not use `force` and `time`: an administrator has to sign in and confirm their password. Nothing was changed.",
    );
  }
  if (roleOf(actor) !== "admin") {
    throw new StewardError("forbidden", "`force` and `time` need an administrator. Nothing was changed.");
  }
  requireStepUp(actor);
}
