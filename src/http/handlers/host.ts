import { StewardError } from "../../contract/errors.ts";
import type { hostOperations } from "../../contract/operations/host.ts";
import type { Machine } from "../../system/machine.ts";
import type { HandlersOf } from "../call.ts";

/** Handles the machine's name and zone, its power, and the factory reset. `deviceName`: as the status shows it. */
export function createHostHandlers(
  machine: Machine,
  deviceName: () => string,
): HandlersOf<typeof hostOperations> {
  return {
    getHost: () => machine.settings(),
    changeHost: async ({ body, note }) => {
      const details = await machine.change(body);
      note({ details, isUnchanged: Object.keys(details).length === 0 });
      return machine.settings();
    },
    reboot: ({ body: { force = false }, note }) => {
      note({ details: { force } });
      return machine.goDown("reboot", force);
    },
    powerOff: ({ body: { force = false }, note }) => {
      note({ details: { force } });
      return machine.goDown("power-off", force);
    },
    factoryReset: async ({ body: { confirm } }) => {
      const device_name = deviceName();
      requireName(confirm, device_name);
      await machine.reset();
      return { device_name };
    },
  };
}

/** Throws `validation_failed` unless the caller has named this device. */
export function requireName(confirm: string, name: string): void {
  if (confirm === name) return;
  const detail = `must be the name of this device, "${name}"`;
  throw new StewardError("validation_failed", `\`confirm\` ${detail}. Nothing was changed.`, {
    details: { errors: [{ pointer: "/confirm", code: "wrong_name", detail }] },
  });
}
