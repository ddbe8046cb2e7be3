import type { RunCommand, TimeDaemon, Timers, TimeServices } from "../../host/ports.ts";
import { createChronyd } from "./chronyd.ts";
import type { ExternalDaemon, ReadKernelFlag } from "./external-daemon.ts";
import { createOtherDaemon } from "./other-daemon.ts";
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
