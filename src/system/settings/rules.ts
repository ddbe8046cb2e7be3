import { timeServer, timeServerErrors } from "../../contract/clock/time-server.ts";
import { durationSeconds } from "../../contract/durations.ts";
import { type InputError, StewardError } from "../../contract/errors.ts";
import type { Settings } from "../../contract/types.ts";
import { receiverErrors } from "./receiver-rules.ts";

/** Bounds of the durations, in seconds, by their pointer in the settings. */
const durationBounds = [
  { pointer: "/time/max_root_distance", least: 0.1, most: 16, words: "100ms to 16s" },
  { pointer: "/time/panic_threshold", least: 1, most: 10 * 365 * 86_400, words: "1s to 3650d" },
  { pointer: "/update/ota/check_interval", least: 300, most: 30 * 86_400, words: "5m to 30d" },
  { pointer: "/security/session_idle", least: 300, most: 86_400, words: "5m to 24h" },
  { pointer: "/security/session_absolute", least: 900, most: 30 * 86_400, words: "15m to 30d" },
] as const;

/** Faults of the settings as a whole that a schema cannot find; empty if there are none. */
export function settingsErrors(settings: Settings): InputError[] {
  const values = {
    "/time/max_root_distance": settings.time.max_root_distance,
    "/time/panic_threshold": settings.time.panic_threshold,
    "/update/ota/check_interval": settings.update.ota.check_interval,
    "/security/session_idle": settings.security.session_idle,
    "/security/session_absolute": settings.security.session_absolute,
  };
  const errors: InputError[] = durationBounds
    .filter(({ pointer, least, most }) => !isWithin(values[pointer], least, most))
    .map(({ pointer, words }) => ({ pointer, code: "out_of_range", detail: `must be ${words}` }));
  if (durationSeconds(settings.security.session_idle) > durationSeconds(settings.security.session_absolute)) {
    const detail = "must not be longer than session_absolute, which ends the session in any case";
    errors.push({ pointer: "/security/session_idle", code: "inconsistent", detail });
  }
  if (settings.update.ota.enabled && settings.update.ota.server === "") {
    const detail = "set update.ota.server too: there is nowhere to look for updates";
    errors.push({ pointer: "/update/ota/enabled", code: "inconsistent", detail });
  }
  return [...errors, ...timeErrors(settings.time), ...receiverErrors(settings.notify.receivers)];
}

function timeErrors({ servers, authenticated_only }: Settings["time"]): InputError[] {
  const errors = timeServerErrors(servers, "/time/servers");
  if (authenticated_only && !servers.some((server) => timeServer(server).nts)) {
    const detail =
      'needs a time server with NTS, such as {"host": "time.example.net", "nts": true} in time.servers';
    errors.push({ pointer: "/time/authenticated_only", code: "inconsistent", detail });
  }
  return errors;
}

function isWithin(duration: string, least: number, most: number): boolean {
  const seconds = durationSeconds(duration);
  return seconds >= least && seconds <= most;
}

/**
 * Throws `forbidden` if the update server becomes a directory of the device. The agent reads files that an
 * administrator of the console may not, so only root decides which of them are a repository.
 */
export function refuseDirectory(present: Settings, next: Settings): void {
  const { server } = next.update.ota;
  if (!server.startsWith("file:") || server === present.update.ota.server) return;
  const detail = `names a directory of the device, which only root sets there: steward system set update.ota.server=${server}`;
  throw new StewardError("forbidden", `update.ota.server ${detail}. Nothing was changed.`, {
    details: { errors: [{ pointer: "/update/ota/server", code: "forbidden", detail }] },
  });
}
