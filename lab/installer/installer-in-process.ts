import type { ReleaseHost } from "../../src/host/release-ports.ts";
import { install, rollBack } from "../../src/installer/install.ts";
import { guard, withReleases } from "../../src/installer/trial/guard.ts";
import { openInstaller } from "../../src/programs/installer/wiring.ts";
import type { UpdateKind } from "../../src/releases/release.ts";
import { type Counter, crashing } from "./crashing-host.ts";
import type { Device } from "./device.ts";

/** The installer gets one of these orders; "put on trial" as under systemd, where the guard is a process of its own. */
export type InstallerOrder =
  | { readonly verb: "install" | "put on trial"; readonly id: string }
  | { readonly verb: "rollback"; readonly kind: UpdateKind }
  | { readonly verb: "guard" };

/**
 * Does in this process what `installer.js` does on this device without systemd. Throws what it throws. `counter` counts the
 * operations, and `change` gives the host other parts.
 */
export async function runInstallerInProcess(
  device: Device,
  what: InstallerOrder,
  { counter, change }: { counter?: Counter; change: (host: ReleaseHost) => ReleaseHost },
): Promise<void> {
  const own = await openInstaller({
    directories: device.directories,
    isUnderSystemd: false,
    stateDirectory: device.state,
    hostFile: device.hostFile,
    credentials: process as Required<NodeJS.Process>,
    build: { version: "0.1.0", commit: null, date: null },
    say: () => undefined,
  });
  const changed = change(own.host);
  const parts = { ...own, host: counter ? crashing(changed, counter) : changed };
  await withReleases(parts, 0, async (open) => {
    if (what.verb === "install" || what.verb === "put on trial")
      await install(open, what.id, own.verifyAndCopy);
    if (what.verb === "put on trial") return;
    if (what.verb === "rollback") await rollBack(open, what.kind, { by: "root", floors: await own.floors() });
    await guard(open, { isBoot: false });
  });
}

/**
 * The host under a clock that runs only by its pauses, from this second on: waiting takes no time, and the same is done
 * in each run.
 */
export function underVirtualTime(startSeconds: number): (host: ReleaseHost) => ReleaseHost {
  return (host) => {
    let seconds = startSeconds;
    const pause = async (length: number): Promise<void> => {
      seconds += length;
    };
    return { ...host, uptime: () => seconds, pause };
  };
}
