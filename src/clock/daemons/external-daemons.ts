import type { RunCommand, TimeDaemon, Timers, TimeServices } from "../../host/ports.ts";
import { createChronyd } from "./chronyd.ts";
import type { Delegate, ReadKernelFlag } from "./external-daemon.ts";
import { createOtherDaemon } from "./other-daemon.ts";
import { createTimesyncd } from "./timesyncd.ts";

export interface DelegatesOptions {
  run: RunCommand;
  services: TimeServices;
  timers: Timers;
  kernelIsSynchronised: ReadKernelFlag;
  /** Seconds; a larger correction has to be forced. */
  panicSeconds: () => number;
}

/** The delegate of each daemon, made when it is first met. */
export function createDelegateOf(options: DelegatesOptions): (daemon: TimeDaemon) => Delegate {
  const known = new Map<TimeDaemon, Delegate>();
  return (daemon) => {
    const delegate = known.get(daemon) ?? create(daemon, options);
    known.set(daemon, delegate);
    return delegate;
  };
}

function create(daemon: TimeDaemon, options: DelegatesOptions): Delegate {
  switch (daemon) {
    case "chronyd":
      return createChronyd(options);
    case "systemd-timesyncd":
      return createTimesyncd(options);
    default:
      return createOtherDaemon(daemon, options.kernelIsSynchronised);
  }
}
