import { openClockAddon } from "./clock-addon.ts";

/**
 * Lets `changeUser` turn root into another user, and keeps only CAP_SYS_TIME, permitted and effective, on the main
 * thread; threads that ran before keep no capability. Returns false if nothing is kept, because root did not have it or
 * the addon cannot be loaded (the driver, opened afterwards, reports which). Throws the errors of `changeUser` and of
 * system calls.
 */
export function changeUserKeepingTimeCapability(addonPath: string, changeUser: () => void): boolean {
  const addon = openClockAddon(addonPath);
  addon?.keepCapabilities();
  changeUser();
  // Until this call every capability of root is still permitted.
  return addon?.keepTimeCapabilityAlone() ?? false;
}
