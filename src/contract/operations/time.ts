import { syncRequest, timeSync } from "../schemas/clock.ts";
import { everyone, type Operation } from "./operation.ts";

const menders = { roles: ["admin", "operator"] } as const;

/** The clock: how it is, and how a client mends it, also with a token that the clock alone has spoilt. */
export const timeOperations = {
  getTimeSync: {
    method: "GET",
    path: "/api/system/time-sync",
    summary: "How the clock is, who keeps it, and what each source says",
    access: everyone,
    scope: "system:read",
    clockTolerant: true,
    inRescue: true,
    response: { status: 200, schema: timeSync },
  },
  reselectTimeSources: {
    method: "POST",
    path: "/api/system/time-sync/reselect",
    summary: "Ask all sources and select anew; never steps the clock",
    access: menders,
    scope: "time:write",
    clockTolerant: true,
    response: { status: 200, schema: timeSync },
    errors: [
      "no_time_source",
      "no_majority",
      "time_sync_disabled",
      "conflict_discipliner",
      "time_implausible",
      "panic_threshold",
      "rate_limited",
    ],
    event: "clock.reselect_requested",
  },
  syncTime: {
    method: "POST",
    path: "/api/system/time-sync/sync",
    summary:
      "Measure and put the clock right now; `force` and `time` are an administrator's, with the password",
    access: menders,
    scope: "time:write",
    clockTolerant: true,
    body: syncRequest,
    bodyOptional: true,
    response: { status: 200, schema: timeSync },
    errors: [
      "step_up_required",
      "no_time_source",
      "no_majority",
      "time_sync_disabled",
      "conflict_discipliner",
      "panic_threshold",
      "time_implausible",
      "rate_limited",
    ],
    event: "clock.sync_requested",
  },
  resetClockFloor: {
    method: "POST",
    path: "/api/system/time-sync/floor-reset",
    summary: "Forget the time that counts as past but for the build date; local root alone",
    access: "local",
    response: { status: 200, schema: timeSync },
    errors: ["storage_full", "storage_unwritable"],
    event: "clock.floor_reset",
  },
} as const satisfies Record<string, Operation>;
