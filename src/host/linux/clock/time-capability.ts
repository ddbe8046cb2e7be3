import { openClockAddon } from "./clock-addon.ts";

/**
 * Has `changeUser` turn root into another user, of whose main thread CAP_SYS_TIME alone is then permitted and effective;
 * threads that ran before keep nothing. False: nothing is kept, as root had it not or the addon cannot be loaded (the
 * driver, opened afterwards, says which). Throws what `changeUser` or a system call throws.
 */
export function changeUserKeepingTimeCapability(addonPath: string, changeUser: () => void): boolean {
  const addon = openClockAddon(addonPath);
  addon?.keepCapabilities();
  changeUser();
  // Whatever else root was permitted is still permitted, until this.
  return addon?.keepTimeCapabilityAlone() ?? false;
}
