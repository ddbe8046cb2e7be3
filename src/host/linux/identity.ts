import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { arch, hostname, release } from "node:os";
import type { HostIdentity } from "../ports.ts";

/** Reads the identity of this host, once at the start. */
export function readIdentity(): HostIdentity {
  const bootId = readLine("/proc/sys/kernel/random/boot_id") ?? "unknown";
  return {
    deviceId: deviceId(readLine("/etc/machine-id") ?? bootId),
    bootId,
    os: osName(),
    kernel: release(),
    arch: arch(),
    hostname: hostname(),
  };
}

/** machine-id(5) asks applications to keep the value confidential and to hash it with a key of their own. */
function deviceId(machineId: string): string {
  return createHmac("sha256", machineId).update("steward device id").digest("hex").slice(0, 32);
}

function osName(): string {
  const text = readText("/etc/os-release") ?? "";
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(text)?.[1] ?? "Linux";
}

function readLine(path: string): string | undefined {
  const line = readText(path)?.trim();
  return line === "" ? undefined : line;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
