import type { Uptime } from "../../host/ports.ts";

/** A stored moment: its time on the timeline, and the boot in which it was read. */
export interface StoredMoment {
  readonly boot_id: string;
  readonly uptime: number;
  readonly time: number;
}

/**
 * One monotonic time over all boots, so that a reboot neither ends nor extends a delay. It runs while the agent is down,
 * and stops while the device is off; after a power cut it continues from the last stored moment.
 */
export function createDeviceUptime(stored: StoredMoment, bootId: string, uptime: Uptime) {
  const began = uptime();
  // A lower uptime under the same id: a container whose boot id cannot be read.
  const isSameBoot = stored.boot_id === bootId && began >= stored.uptime;
  const base = stored.time + (isSameBoot ? began - stored.uptime : 0);
  const now = () => base + Math.max(0, uptime() - began);
  return {
    /** Seconds since the state was made. */
    now,
    /** The present moment, which is stored with the counts made in it. */
    moment: (): StoredMoment => ({ boot_id: bootId, uptime: uptime(), time: now() }),
  };
}
