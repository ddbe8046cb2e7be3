import { syncRequest, timeSync } from "../schemas/clock.ts";
import { probeRequest, timeProbe } from "../schemas/settings.ts";
import { admins, everyone, type Operation } from "./operation.ts";

const correctors = { roles: ["admin", "operator"] } as const;

/** The clock: reading and correcting it, also with a token that only a wrong clock has invalidated. */
export const timeOperations = {
  getTimeSync: {
    method: "GET",
    path: "/api/system/time-sync",
    summary: "Show the state of the clock, the program that sets it, and each source",
    description:
      "`summary` says in one code how the clock is; `state`, `trust`, the sources and the figures say why. A token that fails only because the device's clock was wrong is accepted here.",
    access: everyone,
    scope: "system:read",
    clockTolerant: true,
    inRescue: true,
    response: { status: 200, schema: timeSync },
  },
  reselectTimeSources: {
    method: "POST",
    path: "/api/system/time-sync/reselect",
    summary: "Poll all sources and select again; never steps the clock",
    description:
      "Answers after the measurements, which take some seconds. A token that fails only because the device's clock was wrong is accepted here.",
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
    description:
      "Answers after the correction, which takes some seconds. A correction beyond `time.panic_threshold` is refused unless `force` is true. `time` sets the clock by hand where no better source is trusted. A token that fails only because the device's clock was wrong is accepted here, but for `force` and `time`.",
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
    description: "Each is asked once, and judged by the present settings.",
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
    description:
      "Corrects a floor that a false time has moved into the future. Only root and the service's own user can call it, over the unix socket.",
    access: "local",
    response: { status: 200, schema: timeSync },
    errors: ["storage_full", "storage_unwritable"],
    event: "clock.floor_reset",
  },
} as const satisfies Record<string, Operation>;
