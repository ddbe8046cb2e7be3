import { randomBytes } from "node:crypto";
import { createDaemonOf } from "../../clock/daemons/external-daemons.ts";
import { type Clock, DeviceClock } from "../../clock/loop/clock.ts";
import type { ClockOptions } from "../../clock/loop/clock-parts.ts";
import { createExchange } from "../../clock/ntp/exchange.ts";
import { askSecondOpinion } from "../../clock/ntp/second-opinion.ts";
import type { ClockRecord } from "../../clock/trust/clock-record.ts";
import { durationSeconds } from "../../contract/durations.ts";
import type { Settings } from "../../contract/types.ts";
import type { Host, KeyExchangeOptions } from "../../host/host.ts";
import type { KeyExchanges } from "../../host/nts-ports.ts";
import type { Document } from "../../store/documents/document.ts";

/** The parts that the clock of this device is joined from. */
export interface ClockPlan {
  readonly host: Host;
  readonly settings: () => Settings["time"];
  readonly record: Document<ClockRecord>;
  readonly buildDate: Date;
  readonly keyExchange: KeyExchangeOptions;
}

export type OpenClock = (plan: ClockPlan) => Clock;

/** The clock on this host's own ports. */
export const openHostClock: OpenClock = (plan) => new DeviceClock(hostClockOptions(plan));

/** The parts of that clock. A test replaces those that ask a network. */
export function hostClockOptions(plan: ClockPlan): ClockOptions {
  const { settings, host } = plan;
  const { run, helper, network } = host;
  const { driver, timers } = host.time;
  const buildSeconds = plan.buildDate.getTime() / 1_000;
  const panicSeconds = () => durationSeconds(settings().panic_threshold);
  const mostDistanceSeconds = () => durationSeconds(settings().max_root_distance);
  const { resolve, isLocalAddress } = network;
  const resolution = { resolve, isLocalAddress };
  let keyExchanges: Promise<KeyExchanges> | undefined;
  const kernelIsSynchronised = () => driver.kernel()?.isSynchronised ?? null;
  return {
    ...plan,
    ...host.time,
    ...host.clock,
    buildSeconds,
    ...resolution,
    random: Math.random,
    bootId: host.identity.bootId,
    panicSeconds,
    mostDistanceSeconds,
    daemonOf: createDaemonOf({ run, helper, timers, kernelIsSynchronised, panicSeconds }),
    exchange: (steered) =>
      createExchange({
        driver: steered,
        datagrams: network.datagrams,
        timers,
        pivotSeconds: buildSeconds,
        mostDistanceSeconds,
        randomNonce: () => randomBytes(8),
      }),
    openAssociation: (steered) => async (server) => {
      keyExchanges ??= network.openKeyExchanges(plan.keyExchange);
      const { prepare, exchange: exchangeKeys } = await keyExchanges;
      prepare();
      const { NtsAssociation } = await import("../../clock/nts/association.ts");
      const monotonic = () => steered.read().monotonicSeconds;
      return new NtsAssociation(server, { ...resolution, exchangeKeys, monotonic, random: randomBytes });
    },
    askSecondOpinion: (steered) => askSecondOpinion(steered, buildSeconds),
  };
}
