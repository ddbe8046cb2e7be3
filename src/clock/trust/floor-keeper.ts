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

export interface FloorKeeperOptions {
  readonly record: Document<ClockRecord>;
  readonly buildSeconds: number;
  readonly bootId: string;
  readonly monotonicSeconds: number;
}

/** Seconds by which the floor rises before it is written again. */
const writeEverySeconds = 3_600;

export function createFloorKeeper(options: FloorKeeperOptions) {
  const { record, buildSeconds, bootId } = options;
  let floor = storedFloor(options);
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
    raise: (trust: ClockTrust, nowSeconds: number, monotonicSeconds: number): void => {
      const check = { trust, nowSeconds, monotonicSeconds, ceilingSeconds: ceilingSeconds(buildSeconds) };
      floor = riseFloor(floor, check);
      if (floor.atSeconds - writtenSeconds < writeEverySeconds) return;
      writtenSeconds = floor.atSeconds;
      record.note(stored, 0);
    },
    stepped: (): void => {
      floor = heldNoLonger(floor);
    },
    /** Back to the build date; on the disk when it settles. */
    reset: async (monotonicSeconds: number): Promise<void> => {
      const former: Floor = floor;
      floor = beginFloor(buildSeconds, powerOffGapSeconds, monotonicSeconds);
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
function storedFloor({ record, buildSeconds, bootId, monotonicSeconds }: FloorKeeperOptions): Floor {
  const { floor_at, power_off_gap } = record.read();
  const storedSeconds = floor_at === null ? buildSeconds : Date.parse(floor_at) / 1_000;
  const isThisBoot = power_off_gap?.boot_id === bootId;
  const gapSeconds = isThisBoot ? power_off_gap.left_seconds : powerOffGapSeconds;
  return beginFloor(Math.max(buildSeconds, storedSeconds), gapSeconds, monotonicSeconds);
}
