import {
  type DaemonReport,
  type ExternalDaemon,
  reportOfKernel,
} from "../../src/clock/daemons/external-daemon.ts";
import { type Clock, DeviceClock } from "../../src/clock/loop/clock.ts";
import { type ClockRecord, clockRecordKind } from "../../src/clock/trust/clock-record.ts";
import { durationSeconds } from "../../src/contract/durations.ts";
import type { Settings } from "../../src/contract/types.ts";
import { isLocalAddress } from "../../src/host/linux/network/server-addresses.ts";
import type { Leap, SteeringBlocker, TimeDaemon } from "../../src/host/ports.ts";
import type { Document } from "../../src/store/documents/document.ts";
import { type Chance, createChance } from "../basics/chance.ts";
import { KernelClock } from "./kernel-clock.ts";
import { createOscillator, type OscillatorPlan } from "./oscillator.ts";
import { type ServerPlan, TimeNetwork } from "./time-network.ts";
import { createVirtualTime } from "./virtual-time.ts";

/** A host whose clock is simulated, before it begins. */
export interface ClockHostPlan {
  /** Seconds since 1970, UTC. */
  readonly trueStartSeconds: number;
  readonly buildSeconds: number;
  /** The clock is so far behind at the beginning (s); negative: it is ahead. */
  readonly behindSeconds: number;
  readonly oscillator: OscillatorPlan;
  readonly blocker: SteeringBlocker | null;
  readonly daemon: TimeDaemon | null;
  readonly settings: Settings["time"];
  readonly panicSeconds: number;
  readonly servers: readonly ServerPlan[];
  readonly record: Partial<ClockRecord>;
  /** A leap second that many true seconds after the beginning, announced for a day before. */
  readonly leap: { kind: Exclude<Leap, "none">; atSeconds: number } | null;
  readonly seed: number;
  /** The battery-backed clock shows this at the agent's start. */
  readonly battery?: Date;
}

export type ClockView = ReturnType<ClockHost["view"]>;

const daySeconds = 86_400;

export class ClockHost {
  readonly time = createVirtualTime();
  readonly kernel: KernelClock;
  readonly network: TimeNetwork;
  readonly record: Document<ClockRecord>;
  /** The simulated daemon says that it knows the time. */
  daemonIsSynchronised = true;
  /** More that it says. */
  daemonSays: Partial<DaemonReport> = {};
  daemon: TimeDaemon | null;
  settings: Settings["time"];
  clock: Clock;
  readonly events: { type: string; atSeconds: number }[] = [];
  readonly orders: string[] = [];
  readonly #plan: ClockHostPlan;
  readonly #chance: Chance;
  #leapSeconds = 0;
  #sleepsUntil = 0;

  constructor(plan: ClockHostPlan) {
    this.#plan = plan;
    this.#chance = createChance(plan.seed);
    this.settings = plan.settings;
    this.daemon = plan.daemon;
    const now = () => this.time.now();
    this.kernel = new KernelClock({
      ...plan,
      oscillator: createOscillator(plan.oscillator, this.#chance.fork()),
      chance: this.#chance.fork(),
      now,
      errorSeconds: -plan.behindSeconds,
    });
    this.network = new TimeNetwork({
      ...{ time: this.time, chance: this.#chance.fork(), servers: plan.servers },
      trueSeconds: () => this.trueSeconds(),
      leap: () => this.#announcedLeap(),
      mostDistanceSeconds: () => this.#mostDistanceSeconds(),
    });
    this.record = recordInMemory({ ...clockRecordKind.defaults, ...plan.record });
    this.#planLeap();
    this.clock = this.#open();
    this.clock.start();
  }

  trueSeconds(): number {
    return this.#plan.trueStartSeconds + this.time.now() + this.#leapSeconds;
  }

  /** The host at one moment, as it sees itself and as it is. */
  view() {
    const wallErrorSeconds = this.kernel.errorSeconds();
    const status = this.clock.status();
    return {
      atSeconds: this.time.now(),
      /** Wall clock less true time, and the same of what sign-in goes by. */
      wallErrorSeconds,
      signInErrorSeconds: wallErrorSeconds + this.clock.state().offsetSeconds,
      kernelMaxErrorSeconds: status.kernel?.synchronised ? status.kernel.max_error_seconds : null,
      status,
    };
  }

  /** Sleeps from now on for so long; the battery-backed clock errs by `errorSeconds` on waking. */
  sleep(seconds: number, errorSeconds: number): void {
    this.kernel.errorSeconds();
    this.#sleepsUntil = this.time.now() + seconds;
    this.time.postponeHostTimers(seconds);
    this.time.at(this.#sleepsUntil, () => this.kernel.wakeUp(errorSeconds));
  }

  isAsleep(): boolean {
    return this.time.now() < this.#sleepsUntil;
  }

  /** Another agent in the same boot. */
  async restart(): Promise<void> {
    await this.clock.stop();
    this.clock = this.#open();
    this.clock.start();
  }

  #mostDistanceSeconds(): number {
    return durationSeconds(this.settings.max_root_distance);
  }

  #open(): Clock {
    const { driver } = this.kernel;
    const chance = this.#chance.fork();
    const clock = new DeviceClock({
      driver,
      timers: this.time.hostTimers,
      services: { activeDaemon: async () => this.daemon },
      resolve: this.network.resolve,
      isLocalAddress,
      exchange: (steered) => this.network.exchange(steered),
      openAssociation: () => this.network.openAssociation,
      askSecondOpinion: (steered) => this.network.secondOpinion(steered),
      daemonOf: (daemon) => this.#daemonClient(daemon),
      readRealTimeClock: async () => this.#plan.battery ?? null,
      readOfferedServers: () => [],
      readNetwork: () => this.network.ownAddress,
      random: () => chance.uniform(),
      wall: () => this.kernel.wallMilliseconds(),
      uptime: () => this.kernel.uptimeSeconds(),
      settings: () => this.settings,
      panicSeconds: () => this.#plan.panicSeconds,
      mostDistanceSeconds: () => this.#mostDistanceSeconds(),
      record: this.record,
      bootId: "a-boot",
      buildSeconds: this.#plan.buildSeconds,
    });
    clock.onEvent(({ type }) => {
      if (type !== "checked") this.events.push({ type, atSeconds: this.time.now() });
    });
    return clock;
  }

  #daemonClient(name: TimeDaemon): ExternalDaemon {
    const order = (verb: string) => async () => void this.orders.push(verb);
    return {
      name,
      read: async () => ({
        ...reportOfKernel(this.daemonIsSynchronised, null),
        offsetSeconds: 0,
        uncertaintySeconds: 0.01,
        ...this.daemonSays,
      }),
      reselect: order("reselect"),
      sync: order("sync"),
    };
  }

  #announcedLeap(): Leap {
    const { leap } = this.#plan;
    if (!leap || this.time.now() >= leap.atSeconds) return "none";
    return this.time.now() >= leap.atSeconds - daySeconds ? leap.kind : "none";
  }

  #planLeap(): void {
    const { leap } = this.#plan;
    if (!leap) return;
    const seconds = leap.kind === "insert" ? -1 : 1;
    this.time.at(leap.atSeconds, () => {
      this.#leapSeconds += seconds;
      this.kernel.leapTrueTime(seconds);
    });
  }
}

/** The record as its readers see it, without a disk. */
function recordInMemory(start: ClockRecord): Document<ClockRecord> {
  let present = start;
  const changed = (change: (present: ClockRecord) => ClockRecord): ClockRecord => {
    present = change(present);
    return present;
  };
  return {
    name: clockRecordKind.name,
    read: () => present,
    update: async (change) => changed(change),
    note: changed,
    save: async () => undefined,
    close: async () => undefined,
    trouble: () => null,
  };
}
