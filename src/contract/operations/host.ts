import * as host from "../schemas/system.ts";
import { admins, everyone, type Operation } from "./operation.ts";

const power = {
  method: "POST",
  access: admins,
  stepUp: true,
  body: host.powerRequest,
  bodyOptional: true,
  response: { status: 202, schema: host.powerAnswer },
  errors: ["update_busy", "host_right_missing", "rate_limited", "internal_error"],
} as const;

/** The machine itself: its name, its time zone, its power, and its return to the state it was delivered in. */
export const hostOperations = {
  getHost: {
    method: "GET",
    path: "/api/system/host",
    summary: "Host name, time zone and end of support",
    description:
      "Unlike the settings, host name and time zone belong to the operating system; the agent asks root's helper to change them.",
    access: everyone,
    scope: "system:read",
    response: { status: 200, schema: host.hostSettings },
  },
  changeHost: {
    method: "PUT",
    path: "/api/system/host",
    summary: "Change the host name, the time zone, or both",
    description:
      "Absent members stay. The device answers to a new host name at once, and no longer to the former one; update windows follow a new time zone at once. Without the helper the answer is `host_right_missing`.",
    access: admins,
    stepUp: true,
    body: host.hostChange,
    response: { status: 200, schema: host.hostSettings },
    errors: ["host_right_missing", "rate_limited", "internal_error"],
    event: "host.changed",
  },
  reboot: {
    ...power,
    path: "/api/system/reboot",
    summary: "Restart the machine; refused while a release is on trial, unless `force` is true",
    description:
      "The answer comes before the machine restarts. Afterwards `boot_id` of GET /api/version is another one. Sessions end with the restart.",
    event: "host.reboot_requested",
  },
  powerOff: {
    ...power,
    path: "/api/system/power-off",
    summary:
      "Shut the machine down and switch it off; refused while a release is on trial, unless `force` is true",
    description:
      "The answer comes before the machine shuts down. Nothing in this API can switch it on again.",
    event: "host.power_off_requested",
  },
  factoryReset: {
    method: "POST",
    path: "/api/system/factory-reset",
    summary:
      "Delete accounts, settings, sessions, tokens, events and fetched updates, and begin again at the first run",
    description:
      "`confirm` is the device's name, so that no other device is reset by mistake. Installed releases, the host file and the root of trust stay. Refused with `update_busy` while a release is on trial. After a power cut it is finished at the next start.",
    access: admins,
    stepUp: true,
    inRescue: true,
    body: host.factoryResetRequest,
    response: { status: 202, schema: host.factoryResetAnswer },
    errors: ["update_busy"],
    event: "host.reset_requested",
  },
} as const satisfies Record<string, Operation>;
