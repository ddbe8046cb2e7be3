import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { arch, hostname, release } from "node:os";
import type { HostIdentity } from "../ports.ts";
import { tried } from "./tried.ts";

/**
 * Reads the identity of this host, the name of its system whenever that is asked for; `machineIdFile` is machine-id(5).
 * The agent's unit has its own UTS namespace (ProtectHostname=), which a new host name does not reach: the agent passes
 * it to `renamed`.
 */
export function openIdentity(machineIdFile = "/etc/machine-id"): {
  readonly identity: HostIdentity;
  readonly renamed: (name: string) => void;
} {
  const bootId = readLine("/proc/sys/kernel/random/boot_id") ?? "unknown";
  const machineId = readLine(machineIdFile);
  const isLasting = machineId !== undefined && /^[0-9a-f]{32}$/.test(machineId);
  let name = hostname();
  return {
    identity: {
      deviceId: deviceId(isLasting ? machineId : bootId),
      isLasting,
      bootId,
      get os() {
        return osName();
      },
      kernel: release(),
      arch: arch(),
      get hostname() {
        return name;
      },
    },
    renamed: (given) => {
      name = given;
    },
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
  return readText(path)?.trim() || undefined;
}

function readText(path: string): string | null {
  return tried(() => readFileSync(path, "utf8"));
}
