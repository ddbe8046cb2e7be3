import { BlockList, isIP, isIPv6 } from "node:net";
import type { RolloutReport } from "../../releases/rollout-report.ts";
import { writeDurably } from "../../store/files/durable-file.ts";
import { publicMode, readIfThere } from "../files.ts";
import type { LogLine } from "./access-log.ts";

/** Seconds without a report after which an address is no target: a dead device must raise an alert before it is dropped. */
const keptSeconds = 7 * 86_400;

/** Targets that are kept: anyone can send reports, and a flood of them must not fill Prometheus. */
const mostTargets = 100_000;

/** An address that has reported. */
interface Seen extends Pick<RolloutReport, "product" | "agentVersion"> {
  /** Seconds since 1970; null: its line has no time. */
  readonly seconds: number | null;
}

/**
 * Addresses of devices that have reported, as Prometheus' file_sd_config reads them. Devices behind one address are one
 * target: a log has nothing that tells them apart and that Prometheus could reach.
 */
export class ScrapeTargets {
  readonly #port: number;
  readonly #most: number;
  readonly #seen = new Map<string, Seen>();
  /** Seconds since 1970 of the newest report: a log that is read late drops no device. */
  #newest = 0;

  /** `port`: of the devices' HTTPS. `most`: the targets that are kept. */
  constructor(port: number, most = mostTargets) {
    this.#port = port;
    this.#most = most;
  }

  add({ address, seconds }: Pick<LogLine, "address" | "seconds">, report: RolloutReport): void {
    const host = hostOf(address);
    if (host === null || (!this.#seen.has(host) && this.#seen.size >= this.#most)) return;
    this.#newest = Math.max(this.#newest, seconds ?? 0);
    const { product, agentVersion } = report;
    this.#seen.set(host, { product, agentVersion, seconds });
  }

  /** JSON: a list of groups, each of the targets with the same labels, all of it sorted. */
  text(): string {
    const groups = new Map<string, { targets: string[]; labels: Readonly<Record<string, string>> }>();
    for (const [host, { seconds, ...device }] of this.#seen) {
      if (seconds !== null && seconds < this.#newest - keptSeconds) {
        this.#seen.delete(host);
        continue;
      }
      const labels = labelsOf(device);
      const key = JSON.stringify(labels);
      const group = groups.get(key) ?? { targets: [], labels };
      group.targets.push(`${host}:${this.#port}`);
      groups.set(key, group);
    }
    const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
    const all = sorted.map(([, { targets, labels }]) => ({ targets: targets.sort(), labels }));
    return `${JSON.stringify(all, null, 2)}\n`;
  }
}

/**
 * The version is a meta label, which Prometheus drops after relabelling: as a label it would make each series a new one at
 * each update. Scheme and path are in the file so that no job sends its token over plain HTTP.
 */
function labelsOf({ product, agentVersion }: Omit<Seen, "seconds">): Readonly<Record<string, string>> {
  return {
    product,
    __scheme__: "https",
    __metrics_path__: "/api/metrics",
    __meta_steward_agent_version: agentVersion,
  };
}

/** Addresses at which Prometheus would reach itself, its own link, or many hosts. */
const unusable = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
  ["::", 127],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  unusable.addSubnet(network, bits, familyOf(network));

/** As it is written before a port; null: it is a name that the server looked up, or not usable. */
function hostOf(logged: string): string | null {
  // A server with one socket for both families (RFC 4291 §2.5.5.2).
  const address = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(logged)?.[1] ?? logged;
  if (isIP(address) === 0 || address.includes("%")) return null;
  if (unusable.check(address, familyOf(address))) return null;
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname : address;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

/**
 * Replaces the file whole, and only when its content changes: Prometheus reads it at each change. Throws `storage_full`,
 * `storage_unwritable`.
 */
export async function writeTargets(path: string, text: string): Promise<void> {
  const present = await readIfThere(path);
  if (present !== null && Buffer.from(present).toString("utf8") === text) return;
  await writeDurably(path, text, publicMode);
}
