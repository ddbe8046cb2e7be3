import type { Uptime } from "../../host/ports.ts";

/** A moment as it is stored: of the timeline, and of the boot that it was read in. */
export interface StoredMoment {
  readonly boot_id: string;
  readonly uptime: number;
  readonly time: number;
}

/**
 * One monotonic time over all boots, so that what has begun neither ends nor grows by a reboot. It goes on while the
 * agent is down and stands still while the device is; it does not know the wall clock. After a power cut it goes on
 * from the last moment that was stored.
 */
export interface DeviceUptime {
  /** Seconds since the state was made. */
  now(): number;
  /** The present moment, stored with the counts made in it. */
  moment(): StoredMoment;
}

export function createDeviceUptime(stored: StoredMoment, bootId: string, uptime: Uptime): DeviceUptime {
  const began = uptime();
  // A lower uptime under the same id: a container whose boot id cannot be read.
  const isSameBoot = stored.boot_id === bootId && began >= stored.uptime;
  const base = stored.time + (isSameBoot ? began - stored.uptime : 0);
  const now = () => base + Math.max(0, uptime() - began);
  return { now, moment: () => ({ boot_id: bootId, uptime: uptime(), time: now() }) };
}
