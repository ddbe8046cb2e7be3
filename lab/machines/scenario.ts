import type { Guest } from "./guest/vocabulary.ts";
import type { Publisher, Repository } from "./host/publisher.ts";
import type { TimeServer, TimeServers } from "./host/time-servers.ts";

/** One boot of the machine: how it is started, and the steps in it. */
export interface Boot {
  /** The boot clock: RFC 3339 without a zone (UTC), or seconds from the host's time; the host's time when absent. */
  readonly rtc?: string | number;
  /** A network card, which reaches only the servers of the scenario. Default true. */
  readonly network?: boolean;
  /** Units that systemd starts beside its own and the guard; default steward.service. */
  readonly units?: readonly string[];
  /** Further words of the kernel's command line. */
  readonly kernel?: readonly string[];
  /** Cuts the power after the guest part instead of shutting down. Of use with `keepsDisk`. */
  readonly powerCut?: boolean;
  /** The guest part: runs as root in the machine, bundled with its imports. */
  readonly run: (guest: Guest) => Promise<void>;
}

/** The image that a scenario boots: a bare one has the name of its Debian; `autopkgtest` is bookworm with that program. */
export type MachineKind = "appliance" | "bookworm" | "trixie" | "autopkgtest";

/** Actions of the host that the guest asks for by name. */
export interface HostSide {
  readonly servers: TimeServers;
  /** Throws if the scenario has no repository. */
  readonly publisher: Publisher;
}

/** The guest part of a boot that waits for the agent, and then takes these steps. */
export function walk(...steps: readonly ((guest: Guest) => unknown)[]): Boot["run"] {
  return async (guest) => {
    await guest.stewardAnswers();
    for (const step of steps) await step(guest);
  };
}

/** The kinds of machines: `make vm-test` and `make system-test`. */
export type TierName = "vm" | "container";

/** A scenario as its file `NAME.scenario.ts` exports it: with the tiers that it runs in, and what differs in each. */
export interface TieredScenario extends Scenario {
  readonly tiers: Readonly<Partial<Record<TierName, Partial<Scenario>>>>;
}

/** The scenario in this tier; undefined: it does not run there. */
export function inTier({ tiers, ...scenario }: TieredScenario, tier: TierName): Scenario | undefined {
  const difference = tiers[tier];
  return difference && { ...scenario, ...difference };
}

/** A scenario: host part as data, guest parts as functions. */
export interface Scenario {
  readonly title: string;
  /** Seconds for all its boots together; at the end of them the machine is killed and the scenario has failed. */
  readonly timeoutSeconds: number;
  /** Minutes on a quiet host, of a scenario that takes so long that it only runs when it is named. */
  readonly slowMinutes?: number;
  /** Time servers that run from before the first boot. The guest reaches them at 10.0.2.2 under the same port. */
  readonly servers?: readonly TimeServer[];
  /** An empty repository of updates with an HTTP server, from before the first boot. */
  readonly repository?: Repository;
  /** Keeps the disk from boot to boot; without it each boot begins with the fresh image. */
  readonly keepsDisk?: boolean;
  /** Default the appliance, with Steward installed; else a bare Debian without it. */
  readonly machine?: MachineKind;
  /** TCP ports of the virtual machine that 127.0.0.1 of the scenario's own network leads to. */
  readonly forwards?: readonly number[];
  /** True where the container may mount files as disks; the virtual machine cannot. */
  readonly hasLoopDevices?: boolean;
  /** MiB of memory of the virtual machine; default 512. */
  readonly memory?: number;
  /** Files laid over the machine's disk at each boot: absolute path → content. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders laid over the disk like files: absolute path → what fills the folder on the host. */
  readonly folders?: Readonly<Record<string, (directory: string) => void | Promise<void>>>;
  /** `guest.ask(name, value)` runs these on the host; the guest gets their results as JSON. */
  readonly asks?: Readonly<Record<string, (host: HostSide, value: unknown) => unknown>>;
  /** Runs on the host before all else, with its network: builds or fetches what `folders` take. */
  readonly prepare?: () => Promise<void>;
  readonly boots: readonly Boot[];
}
