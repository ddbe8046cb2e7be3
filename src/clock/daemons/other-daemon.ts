import { StewardError } from "../../contract/errors.ts";
import type { TimeDaemon } from "../../host/ports.ts";
import { type ExternalDaemon, type ReadKernelFlag, reportOfKernel } from "./external-daemon.ts";

/**
 * A time daemon that nothing is asked of and that takes no orders from us: ntpd, openntpd, ntpd-rs. The kernel's flag is
 * all that is known.
 */
export function createOtherDaemon(name: TimeDaemon, kernelIsSynchronised: ReadKernelFlag): ExternalDaemon {
  const refuse = async (): Promise<void> => {
    throw new StewardError(
      "conflict_discipliner",
      `${name} sets this clock and takes no orders from Steward. Stop its unit to let Steward set the clock.`,
    );
  };
  return {
    name,
    read: async () => ({
      ...reportOfKernel(kernelIsSynchronised() === true, { code: "not_observable", cause: null }),
      isReadOnly: true,
    }),
    reselect: refuse,
    sync: refuse,
  };
}
