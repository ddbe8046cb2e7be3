import { randomBytes } from "node:crypto";
import { createDelegateOf } from "../../clock/daemons/delegates.ts";
import { type Clock, openClock } from "../../clock/loop/clock.ts";
import { createExchange } from "../../clock/ntp/exchange.ts";
import { askSecondOpinion } from "../../clock/ntp/second-opinion.ts";
import type { ClockRecord } from "../../clock/trust/clock-record.ts";
import { durationSeconds } from "../../contract/durations.ts";
import type { Settings } from "../../contract/types.ts";
import { type ClockAddon, openClockAddon } from "../../host/linux/clock/clock-addon.ts";
import { openClockDriver } from "../../host/linux/clock/clock-driver.ts";
import { readRealTimeClock } from "../../host/linux/clock/real-time-clock.ts";
import { createTimeServices } from "../../host/linux/clock/time-services.ts";
import { createRunCommand } from "../../host/linux/commands.ts";
import { createDatagrams } from "../../host/linux/network/datagrams.ts";
import { createResolveHost } from "../../host/linux/network/resolve-host.ts";
import { createTimers } from "../../host/linux/timers.ts";
import type { Uptime } from "../../host/ports.ts";
import type { Log } from "../../journal/logs/log.ts";
import type { Document } from "../../store/documents/document.ts";

/** What the clock of this device is joined from. */
export interface ClockPlan {
  readonly maySteerClock: boolean;
  readonly clockAddon: string;
  readonly log: Log;
  readonly settings: () => Settings["time"];
  readonly record: Document<ClockRecord>;
  readonly bootId: string;
  readonly buildDate: Date;
  readonly uptime: Uptime;
}

export type OpenClock = (plan: ClockPlan) => Clock;

/** The clock on this host's own ports. */
export const openHostClock: OpenClock = (plan) => {
  const { settings } = plan;
  const addon = openAddon(plan);
  const driver = openClockDriver({ maySteer: plan.maySteerClock, addon });
  const buildSeconds = plan.buildDate.getTime() / 1_000;
  const timers = createTimers();
  const run = createRunCommand();
  const services = createTimeServices({ run });
  const datagrams = createDatagrams(addon);
  const panicSeconds = () => durationSeconds(settings().panic_threshold);
  const kernelIsSynchronised = () => driver.kernel()?.isSynchronised ?? null;
  return openClock({
    ...plan,
    driver,
    buildSeconds,
    timers,
    services,
    resolve: createResolveHost(),
    readRealTimeClock: () => readRealTimeClock(),
    random: Math.random,
    wall: Date.now,
    panicSeconds,
    delegateOf: createDelegateOf({ run, services, timers, kernelIsSynchronised, panicSeconds }),
    exchange: (steered) =>
      createExchange({
        driver: steered,
        datagrams,
        timers,
        pivotSeconds: buildSeconds,
        randomNonce: () => randomBytes(8),
      }),
    askSecondOpinion: (steered) => askSecondOpinion({ driver: steered, pivotSeconds: buildSeconds }),
  });
};

function openAddon({ clockAddon, log }: ClockPlan): ClockAddon | null {
  const reportFailure = (cause: unknown): void => {
    const detail = cause instanceof Error ? cause.message : String(cause);
    log("warning", "the addon for the clock cannot be used: it is only measured, less exactly", { detail });
  };
  return openClockAddon(clockAddon, reportFailure);
}
