import { StewardError } from "../../contract/errors.ts";
import type { RunCommand, TimeDaemon, Timers, TimeServices } from "../../host/ports.ts";
import { createChronyd } from "./chronyd.ts";
import { type ExternalDaemon, type ReadKernelFlag, reportOfKernel } from "./external-daemon.ts";
import { createTimesyncd } from "./timesyncd.ts";

export interface ExternalDaemonsOptions {
  run: RunCommand;
  services: TimeServices;
  timers: Timers;
  kernelIsSynchronised: ReadKernelFlag;
  /** Seconds; a larger correction has to be forced. */
  panicSeconds: () => number;
}

/** The delegate of each daemon, made when it is first met. */
export function createDaemonOf(options: ExternalDaemonsOptions): (daemon: TimeDaemon) => ExternalDaemon {
  const known = new Map<TimeDaemon, ExternalDaemon>();
  return (daemon) => {
    const delegate = known.get(daemon) ?? create(daemon, options);
    known.set(daemon, delegate);
    return delegate;
  };
}

function create(daemon: TimeDaemon, options: ExternalDaemonsOptions): ExternalDaemon {
  switch (daemon) {
    case "chronyd":
      return createChronyd(options);
    case "systemd-timesyncd":
      return createTimesyncd(options);
    default:
      return createOtherDaemon(daemon, options.kernelIsSynchronised);
  }
}

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
