/**
 * Unpacks a payload as a process of its own, so that its memory is honest, and says what it took and what was said
 * against it: `unpack-process.ts DIRECTORY PAYLOAD WARM-UP`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createRunCommand } from "../../src/host/linux/commands.ts";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { createReleaseFiles } from "../../src/installer/files/release-files.ts";
import { unpack } from "../../src/installer/unpack/unpack.ts";

const [directory = "", payload = "", warmUp = ""] = process.argv.slice(2);
const files = createReleaseFiles(createRunCommand(), freeSpace);

/** Milliseconds until the process is idle. */
const idleMilliseconds = 500;

// A small one first: code that was never run is no part of what a large one costs.
await refusalOf(warmUp, "warm-up");
await delay(idleMilliseconds);
// From now on VmHWM is the peak of what follows (proc(5)).
writeFileSync("/proc/self/clear_refs", "5");
const idleMiB = status("VmRSS");
const [reads, writes] = [doneBytes("rchar"), doneBytes("wchar")];
const refusal = await refusalOf(payload, "release");
const [readBytes, writtenBytes] = [doneBytes("rchar") - reads, doneBytes("wchar") - writes];
const measured = { readBytes, writtenBytes, idleMiB, peakMiB: status("VmHWM"), refusal };
process.stdout.write(`${JSON.stringify(measured)}\n`);

/** null: it is unpacked. */
async function refusalOf(path: string, name: string): Promise<string | null> {
  try {
    await unpack(path, join(directory, name), files);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function status(field: "VmRSS" | "VmHWM"): number {
  const text = readFileSync("/proc/self/status", "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) / 1_024;
}

/** By read(2) and its likes so far (proc(5)). */
function doneBytes(field: "rchar" | "wchar"): number {
  return Number(new RegExp(`^${field}: (\\d+)$`, "m").exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
