import { StewardError } from "../../contract/errors.ts";
import type { TimeDaemon } from "../../host/ports.ts";
import { createChronyd } from "./chronyd.ts";
import {
  type ExternalDaemon,
  type ExternalDaemonOptions,
  type ReadKernelFlag,
  reportOfKernel,
} from "./external-daemon.ts";
import { createTimesyncd } from "./timesyncd.ts";

/** Gives the client of each daemon, made at its first use. */
export function createDaemonOf(options: ExternalDaemonOptions): (daemon: TimeDaemon) => ExternalDaemon {
  const known = new Map<TimeDaemon, ExternalDaemon>();
  return (name) => {
    const daemon = known.get(name) ?? create(name, options);
    known.set(name, daemon);
    return daemon;
  };
}

function create(name: TimeDaemon, options: ExternalDaemonOptions): ExternalDaemon {
  switch (name) {
    case "chronyd":
      return createChronyd(options);
    case "systemd-timesyncd":
      return createTimesyncd(options);
    default:
      return createOtherDaemon(name, options.kernelIsSynchronised);
  }
}

/** A time daemon that Steward neither reads nor controls: ntpd, openntpd, ntpd-rs. Only the kernel's flag is known. */
export function createOtherDaemon(name: TimeDaemon, kernelIsSynchronised: ReadKernelFlag): ExternalDaemon {
  const refuse = async (): Promise<void> => {
    throw new StewardError(
      "conflict_discipliner",
      `${name} sets this clock, and Steward cannot control it. Stop its unit to let Steward set the clock.`,
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
