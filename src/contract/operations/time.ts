import { syncRequest, timeSync } from "../schemas/clock.ts";
import { probeRequest, timeProbe } from "../schemas/settings.ts";
import { admins, everyone, type Operation } from "./operation.ts";

const correctors = { roles: ["admin", "operator"] } as const;

/** The clock: reading and correcting it, also with a token that only a wrong clock has invalidated. */
export const timeOperations = {
  getTimeSync: {
    method: "GET",
    path: "/api/system/time-sync",
    summary: "Show how the clock is, the program that sets it, and what each source says",
    access: everyone,
    scope: "system:read",
    clockTolerant: true,
    inRescue: true,
    response: { status: 200, schema: timeSync },
  },
  reselectTimeSources: {
    method: "POST",
    path: "/api/system/time-sync/reselect",
    summary: "Poll all sources and select anew; never steps the clock",
    access: correctors,
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
      "Measure and correct the clock now; `force` and `time` need an administrator who gave the password again",
    access: correctors,
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
  probeTimeServers: {
    method: "POST",
    path: "/api/system/time-sync/probe",
    summary: "Ask servers once what time it is, before they are set; changes nothing",
    access: admins,
    scope: "time:write",
    body: probeRequest,
    response: { status: 200, schema: timeProbe },
    errors: ["rate_limited"],
  },
  resetClockFloor: {
    method: "POST",
    path: "/api/system/time-sync/floor-reset",
    summary: "Reset the floor of time to the build date; for local root only",
    access: "local",
    response: { status: 200, schema: timeSync },
    errors: ["storage_full", "storage_unwritable"],
    event: "clock.floor_reset",
  },
} as const satisfies Record<string, Operation>;
