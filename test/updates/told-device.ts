import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { createSimulatedInstaller, type SimulatedInstaller } from "../../lab/devices/simulated-installer.ts";
import { emptyJournal, type JournalEntry, type ReleaseJournal } from "../../src/releases/release-journal.ts";
import type { StoredCheck, UpdateRecord } from "../../src/releases/update-record.ts";

/** A device knows these when its agent starts; the rest is as on a new one. */
export interface Told {
  readonly record?: Partial<UpdateRecord>;
  readonly journal?: Partial<ReleaseJournal>;
  readonly ota?: Partial<Device["settings"]["ota"]>;
  readonly installed?: Device["installed"];
  /** Ids of the payloads that lie here. */
  readonly staged?: readonly string[];
}

export interface ToldDevice {
  readonly device: Device;
  readonly side: SimulatedInstaller;
  /** Another agent that finds this. */
  tell(told: Told): Promise<Device["room"]>;
}

/** A device that is given what its checks and its installer would leave behind, instead of going through them. */
export async function openToldDevice(): Promise<ToldDevice> {
  const device = await openDevice();
  const side = createSimulatedInstaller(() => (startSeconds + device.time.now()) * 1_000);
  device.installer = side;
  const [record, settings] = [device.record.read(), device.settings];
  return {
    device,
    side,
    tell: async (told) => {
      await device.room.stop();
      device.record.note(() => ({ ...record, ...told.record }), 0);
      device.settings = { ...settings, ota: { ...settings.ota, ...told.ota } };
      device.installed = told.installed ?? { rules: null, binary: null };
      device.staged.clear();
      for (const id of told.staged ?? []) device.staged.add(id);
      side.journal = told.journal ? { ...emptyJournal, ...told.journal } : emptyJournal;
      await device.restart();
      return device.room;
    },
  };
}

/** A check that found nothing. */
export const goodCheck: StoredCheck = {
  ...{ at: "2026-11-20T11:00:00.000Z", outcome: "ok", code: null, detail: null, requests: 1, body_bytes: 2 },
};

/** Makes the entry of this number about rules that proved healthy. */
export function entry(sequence: number, change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    ...{ sequence, at: "2026-11-20T11:00:00.000Z", kind: "rules", release_id: "1".repeat(32) },
    ...{ name: "base", version: "1.2.0", from_version: null, outcome: "good", detail: "It is healthy." },
    ...{ restored_healthy: null, seconds: 1, log: [] },
    ...change,
  };
}
