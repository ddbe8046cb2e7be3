/** A process of its own for one payload, so that its memory is honest: fetches, verifies and stages, and says what it took. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { TargetFile } from "../../src/tuf/metadata.ts";

const [directory = "", url = "", signed = "", warmUpUrl = "", warmUpSigned = ""] = process.argv.slice(2);
const transfers = createTransfers({ allowLocalServers: true, redirects: caps.redirects });

/** Milliseconds until the process is idle. */
const idleMilliseconds = 500;

// A small one first: code that was never run is no part of what 256 MiB cost.
await stage(warmUpUrl, warmUpSigned);
await delay(idleMilliseconds);
const idleMiB = status("VmRSS");
const [begun, usageBefore] = [performance.now(), process.cpuUsage()];
await stage(url, signed);
const wall = performance.now() - begun;
const { user, system } = process.cpuUsage(usageBefore);
const processor = (user + system) / 1_000;
process.stdout.write(`${JSON.stringify({ processor, wall, idleMiB, peakMiB: status("VmHWM") })}\n`);

async function stage(address: string, hashes: string): Promise<void> {
  const signal = AbortSignal.timeout(60_000);
  const file: TargetFile = JSON.parse(hashes);
  const repository = openRepository({ transfers, url: address, caps, signal });
  const found = { path: "stable/rules/bench-1.0.0.tar.gz", file, role: "rules" };
  await fetchPayload({ repository, found, directory, freeSpace, caps, signal, isConsistentSnapshot: true });
}

function status(field: "VmRSS" | "VmHWM"): number {
  const text = readFileSync("/proc/self/status", "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) / 1_024;
}
