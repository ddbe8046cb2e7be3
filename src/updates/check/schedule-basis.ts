import type { UpdaterOptions } from "../updater-options.ts";
import { leftOf } from "./schedule.ts";

/** What the schedule stands on. */
export interface Basis {
  readonly isEnabled: boolean;
  readonly server: string;
  readonly channel: string;
  readonly intervalSeconds: number;
}

/** As the settings are now. */
export function basisOf({ settings, checkIntervalSeconds }: UpdaterOptions): Basis {
  const { enabled, server, channel } = settings().ota;
  return { isEnabled: enabled, server, channel, intervalSeconds: checkIntervalSeconds() };
}

/** Seconds for which the server is to be left alone still. */
export function retryLeft({ record, bootId, uptime }: UpdaterOptions): number {
  return leftOf(record.read().retry, bootId, uptime());
}

/** Seconds within which what is left is on the disk; closing the document writes it in any case. */
const keepSeconds = 60;

/** Stores what is left of that, so that a reboot goes on from there. */
export function keepRetry(options: UpdaterOptions): void {
  const { record, bootId, uptime } = options;
  if (record.read().retry === null) return;
  const left = retryLeft(options);
  const retry = left > 0 ? { boot_id: bootId, uptime: uptime(), left } : null;
  record.note((present) => ({ ...present, retry }), keepSeconds);
}
