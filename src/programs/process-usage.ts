import { readdirSync, readFileSync } from "node:fs";
import type { ProcessReadings } from "../figures/metrics/device-metrics.ts";

/** The resources of this process; seconds and bytes. */
export type ProcessUsage = Omit<ProcessReadings, "startSeconds"> & { readonly uptimeSeconds: number };

/** The resources that this process has used so far. The kernel makes the files that are read from its memory. */
export function processUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    residentBytes: rss,
    heapBytes: heapUsed,
    heapTotalBytes: heapTotal,
    uptimeSeconds: process.uptime(),
    // One of them is the directory that is being read.
    openFiles: readdirSync("/proc/self/fd").length - 1,
    mostOpenFiles: readMostOpenFiles(),
  };
}

let mostOpenFiles: number | null | undefined;

/** Read once: this process does not change its limits. */
function readMostOpenFiles(): number | null {
  if (mostOpenFiles === undefined) {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    mostOpenFiles = soft === undefined ? null : Number(soft);
  }
  return mostOpenFiles;
}
