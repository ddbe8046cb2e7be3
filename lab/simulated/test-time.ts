import { DeviceClock } from "../../src/clock/loop/clock.ts";
import type { HostTime } from "../../src/host/host.ts";
import { hostClockOptions, type OpenClock } from "../../src/programs/agent/wire-clock.ts";
import { createChance } from "../basics/chance.ts";
import { longSeconds, until } from "../basics/until.ts";
import { KernelClock } from "./kernel-clock.ts";
import { createOscillator } from "./oscillator.ts";
import { ordinaryServer, type ServerPlan, TimeNetwork } from "./time-network.ts";
import { createRunningTime, createVirtualTime, type WorldTime } from "./virtual-time.ts";

/** The whole time of an agent under test, of which the test lets some pass. */
export interface TestTime extends HostTime {
  /** Lets so many seconds pass at once, for both clocks and all timers. */
  pass: (seconds: number) => void;
  /** The wall clock, in seconds since 1970. */
  nowSeconds: () => number;
  /** Another program sets the wall clock forward by so many seconds; no time passes. */
  stepWall: (seconds: number) => void;
  /**
   * A clock that asks simulated time servers, which go by the true time of the same world: one that is right, by default.
   * No packet gets through while `isUp` says no.
   */
  servedClock: (servers?: readonly ServerPlan[], isUp?: () => boolean) => OpenClock;
}

export type StandingTime = ReturnType<typeof standingTime>;

/**
 * From now on, or from `begin` (milliseconds since 1970), and only as the test lets it pass: no delay ends and no code
 * grows old because a machine is slow.
 */
export function standingTime(begin = Date.now()) {
  const world = createVirtualTime();
  return {
    ...timeIn(world, begin),
    /** Lets so many seconds pass once the agent has begun to wait for just as long, in so many places. */
    passWhenAwaited: async (seconds: number, places = 1): Promise<void> => {
      const before = world.dueIn(seconds);
      await until(`the agent waits for ${seconds} s`, () => world.dueIn(seconds) >= before + places);
      world.pass(seconds);
    },
    /**
     * Lets the agent's time pass, from one short wait's end to the next, until it has answered what waits for them. Time
     * stops while it waits only for the disk: how long that takes is the machine's affair.
     */
    passUntil: async <T>(answer: Promise<T>): Promise<T> => {
      const [begin, turn] = [performance.now(), () => new Promise(setImmediate)];
      let isWaited = true;
      const over = answer.finally(() => {
        isWaited = false;
      });
      over.catch(() => undefined);
      for (; isWaited; await turn()) {
        if (performance.now() - begin > longSeconds * 1_000)
          throw new Error(`no answer within ${longSeconds} s`);
        const next = world.nextAt(soonSeconds);
        if (next !== null) await world.runUntil(next);
      }
      return over;
    },
  };
}

/**
 * From now on as on this machine, and as the test lets more of it pass: for what ends after minutes. `uptime`: seconds at
 * the beginning, for an agent beside a process that goes by this machine's own.
 */
export function passingTime(uptime = uptimeAtStart): TestTime {
  return timeIn(createRunningTime(), Date.now(), uptime);
}

/** Seconds of an agent's time: no less than between two packets of a burst, and less than what an agent waits for at rest. */
const soonSeconds = 3;

/** Seconds for which the host has been up at the beginning, where nothing else goes by them. */
const uptimeAtStart = 5_000;

function timeIn(world: WorldTime, begin: number, uptime = uptimeAtStart): TestTime {
  const chance = createChance(1);
  // In the middle of a millisecond: a reading's noise does not move it to another one.
  const trueStartSeconds = (begin + 0.5) / 1_000;
  const kernel = new KernelClock({
    oscillator: createOscillator({ slowPpm: 0, wander: 0 }, chance),
    chance,
    now: world.now,
    trueStartSeconds,
    uptimeAtStart: uptime,
    errorSeconds: 0,
    blocker: "not_asked_to",
  });
  return {
    uptime: () => kernel.driver.read().monotonicSeconds,
    wall: () => kernel.wallMilliseconds(),
    timers: world.hostTimers,
    driver: kernel.driver,
    pass: world.pass,
    nowSeconds: () => kernel.wallMilliseconds() / 1_000,
    stepWall: (seconds) => kernel.stepByOther(seconds),
    servedClock: (servers = [ordinaryServer], isUp = () => true) => {
      const trueSeconds = () => trueStartSeconds + world.now();
      const network = new TimeNetwork({ time: world, chance, trueSeconds, leap: () => "none", servers });
      Object.defineProperty(network, "isUp", { get: isUp });
      return (plan) =>
        new DeviceClock({
          ...hostClockOptions(plan),
          resolve: network.resolve,
          exchange: (driver) => network.exchange(driver),
          openAssociation: () => network.openAssociation,
          askSecondOpinion: (driver) => network.secondOpinion(driver),
        });
    },
  };
}
