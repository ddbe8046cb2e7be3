/** A device of a simulated fleet: the update client and its room as they are, in virtual time, on a real server. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import { caps } from "../../src/tuf/caps.ts";
import { type Device, openDevice, startSeconds } from "../devices/checking-device.ts";
import { createSimulatedInstaller } from "../devices/simulated-installer.ts";

export interface FleetDevice extends Device {
  /** When it began each release, by version, in seconds of virtual time. */
  readonly begun: ReadonlyMap<string, number>;
}

export interface FleetOptions {
  readonly url: string;
  readonly root: Uint8Array;
  /** The directory for its downloads. */
  readonly directory: string;
  /** 0 to 1, of every draw. */
  readonly random: () => number;
  /** Tells whether the release proves healthy, a minute after it began. */
  readonly isHealthy: (version: string) => boolean;
}

const transfers = createTransfers({ redirects: caps.redirects, allowLocalServers: true });

/** Seconds until an outcome of a trial is known. */
const trialSeconds = 60;

export async function openFleetDevice(options: FleetOptions): Promise<FleetDevice> {
  const { url, root, directory, random, isHealthy } = options;
  const device = await openDevice(
    { enabled: true, report: true, server: url },
    { seed: randomBytes(16).toString("hex") },
  );
  const begun = new Map<string, number>();
  const side = createSimulatedInstaller(() => (startSeconds + device.time.now()) * 1_000);
  device.installedRoot = async () => root;
  device.installer = {
    ...side,
    // The journal is a member that each step replaces.
    read: () => side.read(),
    ask: async (request, signal) => {
      const release = request.verb === "install" ? device.record.read().available.rules : null;
      if (release === null) throw new Error("a roll-out asks for nothing but rules");
      const { id, name, version } = release;
      side.names.set(id, { kind: "rules", name, version });
      begun.set(version, device.time.now());
      await side.ask(request, signal);
      device.time.hostTimers.after(trialSeconds, () =>
        isHealthy(version) ? side.commit("rules") : side.undo("rules", "failed"),
      );
    },
  };
  device.repositoryOf = (at, signal, report) => openRepository({ transfers, url: at, caps, signal, report });
  device.fetchPayload = async ({ target: found }, { repository, signal, isConsistentSnapshot }) => {
    await fetchPayload({ repository, found, directory, freeSpace, caps, signal, isConsistentSnapshot });
  };
  Object.defineProperty(device, "chance", { get: random });
  device.room.start();
  return Object.assign(device, { begun });
}

/** Its next download is cut off behind a third of the payload's bytes, and begun again at once. */
export function cutOffDownload(device: FleetDevice, directory: string, lengthBytes: number): void {
  device.fetchPayload = async ({ target: found }, { repository, signal, isConsistentSnapshot }) => {
    const cut = new AbortController();
    const plan = { repository, found, directory, freeSpace, caps, isConsistentSnapshot };
    const first = fetchPayload({
      ...plan,
      signal: AbortSignal.any([signal, cut.signal]),
      onProgress: ({ receivedBytes }) => {
        if (receivedBytes > lengthBytes / 3) cut.abort(new Error("cut off"));
      },
    });
    await assert.rejects(first, /cut off/);
    await fetchPayload({ ...plan, signal });
  };
}
