import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Device } from "./device.ts";

/** Ends the pump's service that a device has started, if it runs, so that no other process is mistaken for it. */
export function endPump({ run }: Device): void {
  const pid = pumpPid(run);
  if (pid === null) return;
  rmSync(join(run, "pid"));
  try {
    // A session of its own: whatever it has started goes with it.
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function pumpPid(run: string): number | null {
  try {
    const pid = Number(readFileSync(join(run, "pid"), "utf8"));
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}
