import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import type { Facts, Status } from "../contract/types.ts";
import type { HostNames, HostTime } from "../host/host.ts";
import type { HostIdentity, RunCommand } from "../host/ports.ts";
import type { Capacity } from "../store/files/disk.ts";
import { createBriefReading } from "./brief-reading.ts";
import { readNetwork } from "./network-facts.ts";
import { readServices } from "./services.ts";
import { createTemperature } from "./temperature.ts";

/** Reads the host's identity and condition without ever holding up the event loop. */
export type ReadFacts = () => Promise<Facts>;

interface FactsHost {
  readonly identity: Pick<HostIdentity, "hostname">;
  readonly time: Pick<HostTime, "uptime">;
}

interface NamedHost extends FactsHost {
  readonly names: Pick<HostNames, "timeZone">;
  readonly run: RunCommand;
}

/** The facts that a process of its own reads. */
export type SlowFacts = Pick<Facts, "manufacturer" | "model" | "disks" | "temperatures"> & {
  readonly cpu: Facts["cpu"]["model"];
};

/** Seconds for which disks and temperatures are kept; asking for them costs processes. */
const freshSeconds = 10;

/** A process that has not ended after so many milliseconds is killed; its facts are null or empty this time. */
const longestMilliseconds = 10_000;

const nothing: SlowFacts = { manufacturer: null, model: null, cpu: null, disks: [], temperatures: [] };

interface FactsOptions {
  /** Absolute paths of the runtime and of slow-facts.js. */
  readonly node: string;
  readonly script: string;
  /** The systemd units that the host file names. */
  readonly services: readonly string[];
}

export function createFacts(
  { node, script, services }: FactsOptions,
  { identity, time: { uptime }, names, run }: NamedHost,
): ReadFacts {
  let slow: Promise<readonly [SlowFacts, Facts["services"]]> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!slow || uptime() - readAt > freshSeconds) {
      readAt = uptime();
      slow = Promise.all([
        readSlowFacts(() => run(node, [script], { timeoutMilliseconds: longestMilliseconds })),
        readServices(run, services),
      ]);
    }
    const [[{ cpu, ...rest }, states], time_zone, network] = await Promise.all([
      slow,
      names.timeZone(),
      readNetwork(),
    ]);
    return {
      hostname: identity.hostname,
      time_zone,
      ...rest,
      cpu: { model: cpu, cores: availableParallelism() },
      memory: readMemory(),
      load: loadavg(),
      uptime_seconds: uptime(),
      network,
      services: states,
    };
  };
}

/** The facts at once: no process, no thread, no wait. `directory`: whose last known capacity is given. */
type ReadHostFigures = (directory: string, capacity: Capacity | null) => Promise<Status["host"]>;

export function createHostFigures({ identity, time: { uptime } }: FactsHost): ReadHostFigures {
  const present = createBriefReading(
    async () => ({
      load: loadavg(),
      cores: availableParallelism(),
      memory: readMemory(),
      temperature_celsius: await readTemperature(),
    }),
    uptime,
  );
  return async (path, capacity) => {
    const { load, cores, memory, temperature_celsius } = await present();
    return {
      hostname: identity.hostname,
      uptime_seconds: uptime(),
      ...{ load, cores, memory },
      disk: capacity && { path, size_bytes: capacity.sizeBytes, available_bytes: capacity.availableBytes },
      temperature_celsius,
    };
  };
}

const readTemperature = createTemperature();

/** Never rejects. */
async function readSlowFacts(run: () => ReturnType<RunCommand>): Promise<SlowFacts> {
  try {
    return JSON.parse((await run()).stdout) as SlowFacts;
  } catch {
    return nothing;
  }
}

/** The kernel makes this file from its memory: reading it synchronously takes a tenth of the asynchronous time. */
export function readMemory(): Facts["memory"] {
  const text = readFileSync("/proc/meminfo", "utf8");
  const bytes = (name: string): number => {
    const start = text.indexOf(`${name}:`);
    return start < 0 ? 0 : Number.parseInt(text.slice(start + name.length + 1), 10) * 1_024;
  };
  return {
    total_bytes: bytes("MemTotal"),
    available_bytes: bytes("MemAvailable"),
    swap_total_bytes: bytes("SwapTotal"),
    swap_free_bytes: bytes("SwapFree"),
  };
}
