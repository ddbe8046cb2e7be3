import { timeServer } from "../../contract/clock/time-server.ts";
import type { ClockEventType } from "../../contract/event-types.ts";
import type { Settings } from "../../contract/types.ts";
import type { ClockDriver, TimeDaemon, Timers, TimeServices, Uptime } from "../../host/ports.ts";
import type { Document } from "../../store/documents/document.ts";
import { createCounters } from "../counters.ts";
import type { ExternalDaemon } from "../daemons/external-daemon.ts";
import { Steering } from "../discipline/steering.ts";
import type { Exchange } from "../ntp/exchange.ts";
import type { ServerResolution } from "../ntp/resolve-server.ts";
import type { AskSecondOpinion } from "../ntp/second-opinion.ts";
import type { OpenAssociation } from "../ntp/source.ts";
import { SourcePool } from "../ntp/source-pool.ts";
import { createHistory } from "../status/history.ts";
import { createProbe } from "../status/probe.ts";
import type { ClockRecord } from "../trust/clock-record.ts";
import { createFloorKeeper } from "../trust/floor-keeper.ts";
import { TrustedOffset } from "../trust/trusted-offset.ts";

export interface ClockOptions extends ServerResolution {
  readonly driver: ClockDriver;
  readonly timers: Timers;
  readonly services: TimeServices;
  readonly exchange: (driver: Pick<ClockDriver, "read">) => Exchange;
  readonly openAssociation: (driver: Pick<ClockDriver, "read">) => OpenAssociation;
  readonly askSecondOpinion: (driver: Pick<ClockDriver, "read">) => AskSecondOpinion;
  readonly daemonOf: (daemon: TimeDaemon) => ExternalDaemon;
  readonly readRealTimeClock: () => Promise<Date | null>;
  readonly readOfferedServers: () => readonly string[];
  readonly readNetwork: () => string;
  /** 0 to 1. */
  readonly random: () => number;
  /** Milliseconds of the host's wall clock. */
  readonly wall: () => number;
  readonly uptime: Uptime;
  readonly settings: () => Settings["time"];
  readonly panicSeconds: () => number;
  readonly mostDistanceSeconds: () => number;
  readonly record: Document<ClockRecord>;
  readonly bootId: string;
  readonly buildSeconds: number;
}

export type EventDetails = Readonly<Record<string, string | number | null>>;

export type ClockEvent =
  /** The clock was checked: its state, and whether it is trusted, may be another one. */
  { readonly type: "checked" } | { readonly type: ClockEventType; readonly details: EventDetails };

export type ClockParts = ReturnType<typeof createClockParts>;

export function createClockParts(options: ClockOptions) {
  const { driver, record, timers, resolve, isLocalAddress } = options;
  const counters = createCounters();
  const steering = new Steering({ driver, counters, storedPpm: () => record.read().frequency_ppm });
  const monotonic = () => steering.read().monotonicSeconds;
  const exchange = options.exchange(steering);
  const openAssociation = options.openAssociation(steering);
  const wall = () => steering.read().wallSeconds;
  const floor = createFloorKeeper(record, options.buildSeconds, options.bootId, monotonic());
  const moved = () => steering.moved();
  // At its usual ports as well, where the console looks for the key exchange of a server with another one.
  const isSet = (named: string): boolean =>
    options.settings().servers.some((server) => {
      const { host } = timeServer(server);
      return [host, host.replace(/:\d+$/, "")].includes(named);
    });
  const asking = { exchange, openAssociation, resolve, isLocalAddress, timers, monotonic };
  return {
    counters,
    steering,
    history: createHistory(),
    probe: createProbe({ ...asking, isSet, floor, wall, settings: options.settings }),
    pool: new SourcePool({ ...asking, counters, moved }),
    floor,
    trusted: new TrustedOffset(options.wall, options.uptime),
    askSecondOpinion: options.askSecondOpinion(steering),
  };
}
