import { openClockAddon } from "./clock-addon.ts";

/**
 * Lets `changeUser` turn root into another user, and keeps CAP_SYS_TIME alone, permitted and effective, on the main
 * thread; threads that ran before keep no capability. Returns false if nothing is kept, because root did not have it or
 * the addon cannot be loaded (the driver, opened afterwards, tells which). Throws what `changeUser` or a system call throws.
 */
export function changeUserKeepingTimeCapability(addonPath: string, changeUser: () => void): boolean {
  const addon = openClockAddon(addonPath);
  addon?.keepCapabilities();
  changeUser();
  // Until this call every capability of root is still permitted.
  return addon?.keepTimeCapabilityAlone() ?? false;
}
