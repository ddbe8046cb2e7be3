import type { Remedy } from "../../contract/finding.ts";
import type { Facts } from "../../contract/types.ts";
import type { Fields } from "../../terminal/table.ts";

export function factsFields(facts: Facts): Fields {
  const { cpu, memory, network } = facts;
  return [
    ["host name", facts.hostname],
    ["time zone", facts.time_zone],
    ["manufacturer", facts.manufacturer],
    ["model", facts.model],
    ["processor", `${cpu.model ?? "unknown"}, ${cpu.cores} cores`],
    ["memory", share(memory.available_bytes, memory.total_bytes)],
    ["swap", memory.swap_total_bytes === 0 ? null : share(memory.swap_free_bytes, memory.swap_total_bytes)],
    ...facts.disks.map(
      (disk) =>
        [`disk ${disk.mount}`, `${share(disk.available_bytes, disk.size_bytes)}, ${disk.type}`] as const,
    ),
    ["load", facts.load.map((figure) => figure.toFixed(2)).join(" ")],
    ...facts.temperatures.map(
      ({ sensor, celsius }) => [`temperature ${sensor}`, celsius === null ? null : `${celsius} °C`] as const,
    ),
    ["up for", formatSeconds(facts.uptime_seconds)],
    ...network.interfaces.map(
      ({ name, mac, addresses }) => [`interface ${name}`, [...addresses, mac].join(", ")] as const,
    ),
    ["gateways", network.gateways.join(", ") || null],
    ["name servers", network.name_servers.join(", ") || null],
    ...facts.services.map(({ unit, state }) => [`service ${unit}`, state] as const),
  ];
}

/** `512.0 MiB`: binary units, one decimal. */
export function formatBytes(bytes: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"] as const;
  let text = `${bytes} B`;
  let size = bytes;
  for (const unit of units) {
    if (size < 1024) break;
    size /= 1024;
    text = `${size.toFixed(1)} ${unit}`;
  }
  return text;
}

/** `1.0 GiB of 8.0 GiB free`. */
export function share(free: number, total: number): string {
  return `${formatBytes(free)} of ${formatBytes(total)} free`;
}

/** `3 d 4 h 5 min`. */
export function formatSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 1440)} d ${Math.floor(minutes / 60) % 24} h ${minutes % 60} min`;
}

const timeWords = "TIME is the current time in UTC, from a watch, such as 2026-11-22T14:03:00Z.";

/** The line to type, and what a person should know before. */
export function remedyLines(remedy: Remedy | null): string[] {
  if (remedy === null) return [];
  const loss = remedy.deletes === null ? [] : [`It deletes ${remedy.deletes}.`];
  const time = remedy.line.endsWith(" TIME") ? [timeWords] : [];
  return [`> ${remedy.line}`, ...loss, ...time];
}
