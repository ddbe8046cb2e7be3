import type { TrustedTime } from "../../accounts/trusted-time.ts";
import { requestWipe } from "../../store/files/wipe.ts";
import { createMachine, type Machine } from "../../system/machine.ts";
import type { RoomsConfig } from "./config.ts";
import type { StatusRooms } from "./status/wire-status.ts";

/** A factory reset, or the restoring of a backup: recorded at once, and carried out when the state is opened again. */
export type Reset = ReturnType<typeof createReset>;

export function createReset({ stateDirectory }: Pick<RoomsConfig, "stateDirectory">) {
  let settle: (why: "reset" | "restored") => void = () => undefined;
  const requested = new Promise<"reset" | "restored">((resolve) => {
    settle = resolve;
  });
  return {
    /** Settles when either has been requested. */
    requested,
    request: async (): Promise<void> => {
      await requestWipe(stateDirectory);
      settle("reset");
    },
    /** Call it when a backup was decided on. */
    restore: (): void => settle("restored"),
  };
}

interface MachineRooms extends Pick<StatusRooms, "config" | "host" | "updates"> {
  readonly time: TrustedTime;
  readonly reset: Reset;
}

export function openMachine({ config, host, updates, time, reset }: MachineRooms): Machine {
  return createMachine({
    identity: host.identity,
    names: host.names,
    helper: host.helper,
    time,
    updates: () => updates.status(),
    requestReset: reset.request,
    supportUntil: config.supportUntil,
    zoneChanged: () => updates.settingsChanged(),
  });
}
