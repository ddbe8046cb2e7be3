import type { Document } from "../../store/documents/document.ts";
import type { ClockRecord } from "./clock-record.ts";
import type { ClockTrust } from "./clock-state.ts";
import {
  beginFloor,
  ceilingSeconds,
  type Floor,
  heldNoLonger,
  powerOffGapSeconds,
  riseFloor,
} from "./floor.ts";

/** The floor of this device, kept over restarts. */
export type FloorKeeper = ReturnType<typeof createFloorKeeper>;

/** Seconds by which the floor rises before it is written again. */
const writeEverySeconds = 3_600;

export function createFloorKeeper(
  record: Pick<Document<ClockRecord>, "read" | "note" | "update">,
  buildSeconds: number,
  bootId: string,
  monotonicSeconds: number,
) {
  let floor = storedFloor(record.read(), buildSeconds, bootId, monotonicSeconds);
  let writtenSeconds = floor.atSeconds;
  const stored = (present: ClockRecord): ClockRecord => ({
    ...present,
    floor_at: new Date(floor.atSeconds * 1_000).toISOString(),
    power_off_gap: { boot_id: bootId, left_seconds: floor.gapSeconds },
  });
  return {
    atSeconds: (): number => floor.atSeconds,
    ceilingSeconds: (): number => ceilingSeconds(buildSeconds),
    /** `nowSeconds`: the time that is trusted to this degree. */
    raise: (trust: ClockTrust, nowSeconds: number, atMonotonic: number): void => {
      floor = riseFloor(floor, {
        trust,
        nowSeconds,
        monotonicSeconds: atMonotonic,
        ceilingSeconds: ceilingSeconds(buildSeconds),
      });
      if (floor.atSeconds - writtenSeconds < writeEverySeconds) return;
      writtenSeconds = floor.atSeconds;
      record.note(stored, 0);
    },
    stepped: (): void => {
      floor = heldNoLonger(floor);
    },
    /** Back to the build date; on the disk when it settles. */
    reset: async (atMonotonic: number): Promise<void> => {
      const former: Floor = floor;
      floor = beginFloor(buildSeconds, powerOffGapSeconds, atMonotonic);
      try {
        await record.update((present) => ({ ...present, floor_at: null, power_off_gap: null }));
        writtenSeconds = buildSeconds;
      } catch (error) {
        floor = former;
        throw error;
      }
    },
  };
}

/** The later of the build date and the stored floor, with what earlier runs in this boot left of the jump. */
function storedFloor(
  { floor_at, power_off_gap }: ClockRecord,
  buildSeconds: number,
  bootId: string,
  monotonicSeconds: number,
): Floor {
  const storedSeconds = floor_at === null ? buildSeconds : Date.parse(floor_at) / 1_000;
  const isThisBoot = power_off_gap?.boot_id === bootId;
  const gapSeconds = isThisBoot ? power_off_gap.left_seconds : powerOffGapSeconds;
  return beginFloor(Math.max(buildSeconds, storedSeconds), gapSeconds, monotonicSeconds);
}
