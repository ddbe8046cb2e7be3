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
import { createVirtualTime, type VirtualTime } from "../simulated/virtual-time.ts";

/** Seconds since 1970 at the beginning: a Friday, noon in UTC. */
export const startSeconds = Date.parse("2026-11-20T12:00:00Z") / 1_000;

export const server = "https://updates.example/repository";

/** A document without a disk, which counts what would be written at once. */
export interface CountedRecord extends Document<UpdateRecord> {
  readonly writes: () => number;
  /** Within how many seconds each note was to be on the disk. */
  readonly delays: number[];
  failWith: Error | null;
}

export interface Device {
  readonly time: VirtualTime;
  readonly lab: SignedRepository;
  readonly record: CountedRecord;
  readonly files: ReturnType<typeof filesInMemory>;
  readonly events: { type: UpdateEventType; details: Record<string, unknown> }[];
  readonly types: () => string[];
  readonly staged: Set<string>;
  room: UpdateRoom;
  settings: Settings["update"];
  installedRoot: () => Promise<Uint8Array | null>;
  installed: InstalledVersions;
  /** The installer; absent unless a test gives one. */
  installer: Installer;
  isClockTrusted: boolean;
  /** Expiry is judged by this time; null: the virtual present. */
  expirySeconds: number | null;
  /** 0 to 1, of every draw. */
  chance: number;
  /** Instead of the lab's own files. */
  repositoryOf: ((...given: Parameters<UpdaterOptions["openRepository"]>) => Repository) | null;
  fetchPayload: (payload: Payload, how: FetchPlan) => Promise<void>;
  /** For a repository that is sent as a file; resolves with the URL of its directory. */
  unpack: (upload: Upload) => Promise<string>;
  /** Such a directory was removed after so many repositories had been opened. */
  readonly removals: number[];
  takesPatches: boolean;
  /** Addresses in the order in which they were read. */
  readonly opened: string[];
  /** Their servers received these reports, in the same order. */
  readonly told: (string | null)[];
  readonly options: UpdaterOptions;
  /** As the world's, but each check comes to its end, or to where it is held, before time goes on. */
  runUntil(seconds: number): Promise<void>;
  /** For a repository or a download that goes no further, and ends with its signal. */
  hold(signal: AbortSignal): Promise<never>;
  /** A check by hand, to its end. */
  check(repository?: string): Promise<void>;
  /** Another agent over the same record and files. */
  restart(): Promise<void>;
}

type Ota = Settings["update"]["ota"];

export async function openDevice(ota: Partial<Ota> = {}, start: Partial<UpdateRecord> = {}): Promise<Device> {
  const time = createVirtualTime();
  const lab = new SignedRepository({ now: new Date(startSeconds * 1_000) });
  const files = filesInMemory();
  const record = recordInMemory({ ...updateRecordKind.defaults, seed: "00".repeat(16), ...start });
  const staged = new Set<string>();
  const events: Device["events"] = [];
  const opened: string[] = [];
  const told: Device["told"] = [];
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
  const device: Device = {
    time,
    lab,
    record,
    files,
    events,
    types: () => events.map(({ type }) => type),
    staged,
    room: undefined as unknown as UpdateRoom,
    settings: { ota: { ...defaults, ...ota }, windows: [] },
    installedRoot: async () => root,
    installed: { rules: null, binary: null },
    installer: noInstaller,
    isClockTrusted: true,
    expirySeconds: null,
    chance: 0.5,
    repositoryOf: null,
    fetchPayload: async () => undefined,
    unpack: async () => "file:///uploaded",
    removals: [],
    takesPatches: false,
    opened,
    told,
    options,
    runUntil: async (seconds) => {
      let last = -1;
      for (let next = await nextEvent(); next <= seconds; next = await nextEvent()) {
        // The shown time has milliseconds: the event may come a part of one later.
        await time.runUntil(next > last ? next : last + 0.001);
        last = Math.max(next, time.now());
      }
      await time.runUntil(Math.max(seconds, time.now()));
      await nextEvent();
    },
    hold: (signal) => {
      tell();
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          letGo();
          reject(signal.reason);
        }),
      );
    },
    check: async (repository) => {
      await device.room.check({ repository });
      await device.room.settled();
      await time.runUntil(time.now() + 10);
    },
    restart: async () => {
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

/** It refuses whatever the real document would refuse. */
function recordInMemory(start: UpdateRecord): CountedRecord {
  const validate = validatorOf(updateRecordKind);
  const checked = (next: UpdateRecord): UpdateRecord => {
    assert.deepEqual(validate(structuredClone(next)), []);
    return next;
  };
  let present = start;
  let writes = 0;
  const record: CountedRecord = {
    name: "updates",
    failWith: null,
    writes: () => writes,
    delays: [],
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
