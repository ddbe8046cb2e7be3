import assert from "node:assert/strict";
import type { UpdateEventType } from "../../src/contract/event-types.ts";
import type { Settings, Upload } from "../../src/contract/types.ts";
import type { InstalledVersions } from "../../src/releases/selection.ts";
import { type UpdateRecord, updateRecordKind } from "../../src/releases/update-record.ts";
import type { Document } from "../../src/store/documents/document.ts";
import { validatorOf } from "../../src/store/documents/document-kind.ts";
import type { Repository } from "../../src/tuf/repository.ts";
import type {
  FetchPlan,
  Installer,
  Payload,
  UpdaterOptions,
} from "../../src/updates/facts/updater-options.ts";
import { openUpdates, type UpdateRoom } from "../../src/updates/updater.ts";
import { filesInMemory, reading } from "../publisher/refreshing.ts";
import { SignedRepository } from "../publisher/signed-repository.ts";
import { createVirtualTime } from "../simulated/virtual-time.ts";

/** Seconds since 1970 at the beginning: a Friday, noon in UTC. */
export const startSeconds = Date.parse("2026-11-20T12:00:00Z") / 1_000;

export const server = "https://updates.example/repository";

type Ota = Settings["update"]["ota"];

export type Device = Awaited<ReturnType<typeof openDevice>>;

export async function openDevice(ota: Partial<Ota> = {}, start: Partial<UpdateRecord> = {}) {
  const time = createVirtualTime();
  const lab = new SignedRepository({ now: new Date(startSeconds * 1_000) });
  const files = filesInMemory();
  const record = recordInMemory({ ...updateRecordKind.defaults, seed: "00".repeat(16), ...start });
  const staged = new Set<string>();
  const events: { type: UpdateEventType; details: Record<string, unknown> }[] = [];
  /** Addresses in the order in which they were read, and the reports that their servers received. */
  const opened: string[] = [];
  const told: (string | null)[] = [];
  const at = (seconds: number): Date => new Date(seconds * 1_000);
  const options: UpdaterOptions = {
    record,
    files,
    payloads: {
      takesPatches: () => device.takesPatches,
      staged: async () => [...staged],
      fetch: async (payload, how) => {
        await device.fetchPayload(payload, how);
        staged.add(payload.id);
      },
      keepOnly: async (ids) => {
        for (const id of staged) if (!ids.includes(id)) staged.delete(id);
      },
      remove: async (ids) => {
        for (const id of ids) staged.delete(id);
      },
    },
    uploaded: {
      unpack: (upload) => device.unpack(upload),
      remove: async () => void device.removals.push(device.opened.length),
    },
    installer: {
      ask: (request, signal) => device.installer.ask(request, signal),
      goOn: () => device.installer.goOn(),
      read: () => device.installer.read(),
      watch: (listener) => device.installer.watch(listener),
      isSetUp: (kind) => device.installer.isSetUp(kind),
      rulesNeedBinary: () => device.installer.rulesNeedBinary(),
    },
    openRepository: async (url, signal, report) => {
      opened.push(url);
      told.push(report);
      return device.repositoryOf?.(url, signal, report) ?? reading(lab).repository;
    },
    readInstalledRoot: () => device.installedRoot(),
    timers: time.hostTimers,
    uptime: () => time.now() + 1_000,
    bootId: "boot-1",
    random: () => device.chance,
    now: () => at(startSeconds + time.now()),
    expiryNow: () => at(device.expirySeconds ?? startSeconds + time.now()),
    isClockTrusted: () => device.isClockTrusted,
    settings: () => device.settings,
    allowedChannels: null,
    checkIntervalSeconds: () => (device.settings.ota.check_interval === "5m" ? 300 : 21_600),
    product: "demo",
    arch: "x64",
    agentVersion: "0.1.0",
    installed: () => device.installed,
    packaged: { rules: null, binary: null },
    notify: (type, details) => void events.push({ type, details }),
  };
  const root = lab.metadata("1.root");
  /** Resolves while something is held. */
  let held: Promise<void>;
  let tell = (): void => undefined;
  const letGo = (): void => {
    held = new Promise((resolve) => {
      tell = resolve;
    });
  };
  letGo();
  // A check waits in real time: for files, and for parts of the program that are loaded when they are needed.
  const nextEvent = async (): Promise<number> => {
    await Promise.race([device.room.settled(), held]);
    const at = device.room.status().schedule.next_check_at;
    return at === null
      ? Number.POSITIVE_INFINITY
      : Math.max(time.now(), Date.parse(at) / 1_000 - startSeconds);
  };
  const device = {
    ...{ time, lab, record, files, events, staged, opened, told, options },
    types: () => events.map(({ type }) => type),
    room: undefined as unknown as UpdateRoom,
    settings: { ota: { ...defaults, ...ota }, windows: [] } as Settings["update"],
    installedRoot: async (): Promise<Uint8Array | null> => root,
    installed: { rules: null, binary: null } as InstalledVersions,
    installer: noInstaller,
    isClockTrusted: true,
    /** Expiry is judged by this time; null: the virtual present. */
    expirySeconds: null as number | null,
    /** 0 to 1, of every draw. */
    chance: 0.5,
    /** Instead of the lab's own files. */
    repositoryOf: null as ((...given: Parameters<UpdaterOptions["openRepository"]>) => Repository) | null,
    fetchPayload: (async () => undefined) as (payload: Payload, how: FetchPlan) => Promise<void>,
    /** For a repository that is sent as a file; resolves with the URL of its directory. */
    unpack: (async () => "file:///uploaded") as (upload: Upload) => Promise<string>,
    /** Such a directory was removed after so many repositories had been opened. */
    removals: [] as number[],
    takesPatches: false,
    /** As the world's, but each check comes to its end, or to where it is held, before time goes on. */
    runUntil: async (seconds: number): Promise<void> => {
      let last = -1;
      for (let next = await nextEvent(); next <= seconds; next = await nextEvent()) {
        // The shown time has milliseconds: the event may come a part of one later.
        await time.runUntil(next > last ? next : last + 0.001);
        last = Math.max(next, time.now());
      }
      await time.runUntil(Math.max(seconds, time.now()));
      await nextEvent();
    },
    /** For a repository or a download that goes no further, and ends with its signal. */
    hold: (signal: AbortSignal): Promise<never> => {
      tell();
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          letGo();
          reject(signal.reason);
        }),
      );
    },
    /** A check by hand, to its end. */
    check: async (repository?: string): Promise<void> => {
      await device.room.check({ repository });
      await device.room.settled();
      await time.runUntil(time.now() + 10);
    },
    /** Another agent over the same record and files. */
    restart: async (): Promise<void> => {
      await device.room.stop();
      device.room = await openUpdates(options);
    },
  };
  device.room = await openUpdates(options);
  return device;
}

/** A device whose host file says of no release how it is put to work. */
const noInstaller: Installer = {
  ask: () => Promise.reject(new Error("this device has no installer")),
  goOn: () => undefined,
  read: async () => null,
  watch: () => () => undefined,
  isSetUp: () => false,
  rulesNeedBinary: () => false,
};

const defaults: Ota = {
  enabled: false,
  server,
  channel: "stable",
  check_interval: "6h",
  auto_update_rules: true,
  auto_update_binary: false,
  verify_signature: true,
  report: false,
};

/** A document without a disk, which counts what would be written at once; it refuses whatever the real one would refuse. */
function recordInMemory(start: UpdateRecord) {
  const validate = validatorOf(updateRecordKind);
  const checked = (next: UpdateRecord): UpdateRecord => {
    assert.deepEqual(validate(structuredClone(next)), []);
    return next;
  };
  let present = start;
  let writes = 0;
  const more = {
    failWith: null as Error | null,
    writes: () => writes,
    /** Within how many seconds each note was to be on the disk. */
    delays: [] as number[],
  };
  const record: Document<UpdateRecord> & typeof more = {
    ...more,
    name: "updates",
    read: () => present,
    update: async (change) => {
      if (record.failWith) throw record.failWith;
      const next = checked(change(present));
      if (next !== present) writes += 1;
      present = next;
      return present;
    },
    note: (change, delaySeconds) => {
      const next = checked(change(present));
      if (next !== present) record.delays.push(delaySeconds);
      present = next;
    },
    save: async () => undefined,
    close: async () => undefined,
    trouble: () => null,
  };
  return record;
}
