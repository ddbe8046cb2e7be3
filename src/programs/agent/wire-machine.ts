import type { TrustedTime } from "../../auth/trusted-time.ts";
import type { Host } from "../../host/host.ts";
import type { Handlers } from "../../http/call.ts";
import { createHostHandlers } from "../../http/handlers/host.ts";
import type { SettingsStore } from "../../settings/settings.ts";
import { requestWipe } from "../../store/files/wipe.ts";
import { createMachine } from "../../system/machine.ts";
import type { Updates } from "../../updates/updates.ts";
import type { RoomsConfig } from "./config.ts";

/** A factory reset: recorded at once, and carried out when the state is opened again. */
export interface Reset {
  request(): Promise<void>;
  /** Settles when it has been requested. */
  readonly requested: Promise<void>;
}

export function createReset({ stateDirectory }: Pick<RoomsConfig, "stateDirectory">): Reset {
  let settle = (): void => undefined;
  const requested = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return {
    requested,
    request: async () => {
      await requestWipe(stateDirectory);
      settle();
    },
  };
}

export interface MachineRooms {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly settings: SettingsStore;
  readonly updates: Updates;
  readonly time: TrustedTime;
  readonly reset: Reset;
}

/** Joins the parts that the routes of the machine need: its names, the root helper, the updates and the reset. */
export function composeMachine({
  config,
  host,
  settings,
  updates,
  time,
  reset,
}: MachineRooms): Pick<Handlers, "getHost" | "changeHost" | "reboot" | "powerOff" | "factoryReset"> {
  const machine = createMachine({
    ...{ identity: host.identity, names: host.names, helper: host.helper, time },
    updates: () => updates.status(),
    requestReset: reset.request,
    supportUntil: config.supportUntil,
    zoneChanged: () => updates.settingsChanged(),
  });
  const deviceName = () => settings.read().device.name || host.identity.hostname;
  return createHostHandlers({ machine, deviceName });
}
