import type { TrustedTime } from "../../../accounts/trusted-time.ts";
import type { Clock } from "../../../clock/loop/clock.ts";
import type { Figures } from "../../../figures/history/figures.ts";
import type { ClockFigures, DeviceHistory } from "../../../figures/history/history.ts";
import type { Moment } from "../../../figures/history/timeline.ts";
import type { Host } from "../../../host/host.ts";
import type { Handlers } from "../../../http/call.ts";
import type { Disk } from "../../../store/files/disk.ts";
import { createHostFigures } from "../../../system/facts.ts";
import { once } from "../../once.ts";
import type { RoomsConfig } from "../config.ts";

/** The history of the device, which is loaded at its first reading or request. */
export type HistoryKeeping = ReturnType<typeof openHistory>;

interface HistoryRooms {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly clock: Pick<Clock, "state">;
  readonly time: Pick<TrustedTime, "nowSeconds">;
  readonly state: { readonly disk: Pick<Disk, "capacity"> };
}

export function openHistory(rooms: HistoryRooms) {
  let opened: Promise<DeviceHistory> | undefined;
  const load = once(() => loadHistory(rooms));
  const open = (): Promise<DeviceHistory> => {
    opened = load();
    return opened;
  };
  return {
    handlers: {
      getHistory: async ({ query: { hours = 24, step_seconds = 300 } }) =>
        (await open()).read(hours, step_seconds),
    } satisfies Partial<Handlers>,
    take: (present: ClockFigures): void => {
      open()
        .then((history) => history.take(present))
        // The part could not be loaded: its file is being replaced.
        .catch(() => undefined);
    },
    bytes: async (): Promise<Buffer> => (await open()).bytes(),
    stop: async (): Promise<void> => (await opened?.catch(() => undefined))?.close(),
  };
}

async function loadHistory({ config, host, clock, time, state }: HistoryRooms): Promise<DeviceHistory> {
  const { DeviceHistory } = await import("../../../figures/history/history.ts");
  const { stateDirectory: directory, readsOnly = false, log } = config;
  const readHostFigures = createHostFigures(host);
  const moment = (): Moment => {
    const { synchronised, state } = clock.state();
    return {
      uptimeSeconds: host.time.uptime(),
      nowSeconds: time.nowSeconds(),
      isMeasured: synchronised === true && state !== "holdover",
    };
  };
  const read = async ({ offset_seconds, uncertainty_seconds }: ClockFigures): Promise<Figures> => {
    const figures = await readHostFigures(directory, state.disk.capacity());
    const { memory, disk: capacity, load, temperature_celsius } = figures;
    return {
      clock_offset_seconds: offset_seconds,
      clock_uncertainty_seconds: uncertainty_seconds,
      disk_used_ratio: capacity && usedOf(capacity.available_bytes, capacity.size_bytes),
      memory_used_ratio: usedOf(memory.available_bytes, memory.total_bytes),
      load: load[0] ?? null,
      temperature_celsius,
    };
  };
  const warn = (message: string, detail: string) => log("warning", message, { detail });
  return new DeviceHistory({ directory, readsOnly, moment, read, warn });
}

/** Null: the whole is not known. */
function usedOf(available: number, whole: number): number | null {
  return whole > 0 ? 1 - available / whole : null;
}
