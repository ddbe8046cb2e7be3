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

/** Seconds within which the rest of the wait is on the disk; closing the document writes it in any case. */
const keepSeconds = 60;

/** Stores the rest of the wait, so that it continues after a reboot. */
export function keepRetry(options: UpdaterOptions): void {
  const { record, bootId, uptime } = options;
  if (record.read().retry === null) return;
  const left = retryLeft(options);
  const retry = left > 0 ? { boot_id: bootId, uptime: uptime(), left } : null;
  record.note((present) => ({ ...present, retry }), keepSeconds);
}
