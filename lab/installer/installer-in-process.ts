import type { ReleaseHost } from "../../src/host/release-ports.ts";
import { install, rollBack } from "../../src/installer/install.ts";
import { guard, order, withReleases } from "../../src/installer/trial/guard.ts";
import { type OpenedInstaller, openInstaller } from "../../src/programs/installer/wiring.ts";
import type { UpdateKind } from "../../src/releases/release.ts";
import { type Counter, crashing } from "./crashing-host.ts";
import type { Device } from "./device.ts";

/** The installer gets one of these orders. */
export type InstallerOrder =
  | { readonly verb: "install"; readonly id: string }
  /** As under systemd, where the guard is a process of its own. */
  | { readonly verb: "put on trial"; readonly id: string }
  | { readonly verb: "rollback"; readonly kind: UpdateKind; readonly by?: "agent" | "root" }
  | { readonly verb: "guard"; readonly isBoot?: boolean }
  | { readonly verb: "confirm" | "abort"; readonly kind: UpdateKind };

export interface InProcessOptions {
  /** Counts the operations; none: nothing is counted. */
  readonly counter?: Counter;
  /** The host with other parts in their directories. */
  readonly change?: (host: ReleaseHost) => ReleaseHost;
  readonly say?: (line: string) => void;
}

/** Does in this process what `installer.js` does on this device without systemd. Throws what it throws. */
export async function runInstallerInProcess(
  device: Device,
  what: InstallerOrder,
  { counter, change = (host) => host, say = () => undefined }: InProcessOptions = {},
): Promise<void> {
  const own = await partsOf(device, say);
  const changed = change(own.host);
  const parts = { ...own, host: counter ? crashing(changed, counter) : changed };
  if (what.verb === "confirm" || what.verb === "abort") {
    await order(parts, { kind: what.kind, order: what.verb });
    return;
  }
  await withReleases(parts, 0, async (open) => {
    if (what.verb === "install" || what.verb === "put on trial")
      await install(open, what.id, own.verifyAndCopy);
    if (what.verb === "put on trial") return;
    if (what.verb === "rollback")
      await rollBack(open, what.kind, { by: what.by ?? "root", floors: await own.floors() });
    await guard(open, { isBoot: what.verb === "guard" && what.isBoot === true });
  });
}

function partsOf(
  { directories, state, hostFile }: Device,
  say: (line: string) => void,
): Promise<OpenedInstaller> {
  return openInstaller({
    directories,
    isUnderSystemd: false,
    stateDirectory: state,
    hostFile,
    credentials: process as Required<NodeJS.Process>,
    build: { version: "0.1.0", commit: null, date: null },
    say,
  });
}

/**
 * The host under a clock that runs only by its pauses, from this second on: waiting takes no time, and the same is done
 * in each run.
 */
export function underVirtualTime(startSeconds: number): (host: ReleaseHost) => ReleaseHost {
  return (host) => {
    let seconds = startSeconds;
    return {
      ...host,
      uptime: () => seconds,
      pause: async (length) => {
        seconds += length;
      },
    };
  };
}
