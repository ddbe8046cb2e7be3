import type { TrustedTime } from "../../accounts/trusted-time.ts";
import { createHostHandlers } from "../../http/handlers/host.ts";
import { createRestoreHandlers } from "../../http/handlers/restore.ts";
import { type FirstRun, requireFirstRun } from "../../http/handlers/setup.ts";
import { requestWipe } from "../../store/files/wipe.ts";
import { createMachine } from "../../system/machine.ts";
import { once } from "../once.ts";
import { openRestorer } from "./backup/wire-restore.ts";
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

interface MachineRooms extends Pick<StatusRooms, "config" | "host" | "settings" | "updates"> {
  readonly time: TrustedTime;
  readonly reset: Reset;
  readonly auth: FirstRun;
}

/** Joins the parts that the routes of the machine need: its names, the root helper, the updates and the reset. */
export function composeMachine({ config, host, settings, updates, time, reset, auth }: MachineRooms) {
  const machine = createMachine({
    ...{ identity: host.identity, names: host.names, helper: host.helper, time },
    updates: () => updates.status(),
    requestReset: reset.request,
    supportUntil: config.supportUntil,
    zoneChanged: () => updates.settingsChanged(),
  });
  const deviceName = () => settings.read().device.name || host.identity.hostname;
  const { accounts } = auth;
  const rooms = { config, host, machine, accounts, startAgain: reset.restore };
  const restoring = createRestoreHandlers(
    once(() => openRestorer(rooms)),
    (call) => requireFirstRun(auth, call),
  );
  return { ...createHostHandlers(machine, deviceName), ...restoring };
}
