import { type Device, openDevice, startSeconds } from "../../lab/devices/checking-device.ts";
import { createSimulatedInstaller } from "../../lab/devices/simulated-installer.ts";
import { emptyJournal, type JournalEntry, type ReleaseJournal } from "../../src/releases/release-journal.ts";
import type { StoredCheck, StoredRelease, UpdateRecord } from "../../src/releases/update-record.ts";
import type { HoldConditions } from "../../src/updates/facts/hold-reason.ts";

/** A device whose server has rules of this version, which no check has seen yet. */
export async function withRelease(
  ota: Parameters<typeof openDevice>[0] = {},
  release: Parameters<Device["lab"]["addRelease"]>[0] = { version: "1.0.0" },
): Promise<Device> {
  const device = await openDevice(ota);
  device.lab.addRelease(release);
  device.lab.publish(release.kind ?? "rules");
  return device;
}

/** A device knows these when its agent starts; the rest is as on a new one. */
export interface Told {
  readonly record?: Partial<UpdateRecord>;
  readonly journal?: Partial<ReleaseJournal>;
  readonly ota?: Partial<Device["settings"]["ota"]>;
  readonly installed?: Device["installed"];
  /** Ids of the payloads that lie here. */
  readonly staged?: readonly string[];
}

export type ToldDevice = Awaited<ReturnType<typeof openToldDevice>>;

/** A device that is given what its checks and its installer would leave behind, instead of going through them. */
export async function openToldDevice() {
  const device = await openDevice();
  const side = createSimulatedInstaller(() => (startSeconds + device.time.now()) * 1_000);
  device.installer = side;
  const [record, settings] = [device.record.read(), device.settings];
  return {
    device,
    side,
    /** Another agent that finds this. */
    tell: async (told: Told): Promise<Device["room"]> => {
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

/** Releases that a device has found. */
export const rules: StoredRelease = {
  ...{ id: "1".repeat(32), kind: "rules", name: "base", version: "1.2.0", channel: "stable", notes: "" },
  ...{ length_bytes: 10, urgent: false, path: "stable/rules/base-1.2.0.tar.gz", due_at: null },
};
export const binary: StoredRelease = { ...rules, id: "2".repeat(32), kind: "binary", name: "demo" };

/** Nothing holds a release by these. */
export const good: HoldConditions = {
  blocked: null,
  blockers: { rules: null, binary: null },
  ota: {
    ...{ enabled: true, server: "https://updates.example", channel: "stable", check_interval: "6h" },
    ...{ auto_update_rules: true, auto_update_binary: true, verify_signature: true, report: false },
  },
  isTrustEstablished: true,
  isClockTrusted: true,
  blocklist: new Map(),
  now: new Date("2026-11-20T12:00:00Z"),
};
