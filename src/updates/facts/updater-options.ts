import type { UpdateEventType } from "../../contract/event-types.ts";
import type { Settings, UpdateSummary, Upload } from "../../contract/types.ts";
import type { Timers, Uptime } from "../../host/ports.ts";
import type { PayloadRequest } from "../../releases/download/complete-part.ts";
import type { Patch } from "../../releases/patches/patch.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { InstalledVersions, Device as TargetDevice } from "../../releases/selection.ts";
import type { UpdateRecord } from "../../releases/update-record.ts";
import type { Document } from "../../store/documents/document.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import type { MetadataFiles } from "../../tuf/metadata-files.ts";
import type { Repository } from "../../tuf/repository.ts";

/** A release as people call it. */
export type ReleaseName = UpdateSummary["releases"][number];

export interface UpdateEvent {
  readonly type: UpdateEventType;
  readonly details: Record<string, string | number | boolean | null>;
}

/** The host and the other rooms, as the room of updates needs them. */
export interface UpdaterOptions extends Pick<TargetDevice, "product" | "arch" | "agentVersion"> {
  readonly record: Document<UpdateRecord>;
  /** The trusted metadata. */
  readonly files: MetadataFiles;
  readonly payloads: Payloads;
  readonly uploaded: UploadedRepository;
  readonly installer: Installer;
  /** The repository under `url`; `signal` ends the reading of its metadata. `report`: sent to its server, if any. */
  readonly openRepository: (url: string, signal: AbortSignal, report: string | null) => Promise<Repository>;
  /** null: there is none. Throws `update_root_unusable` for a file that others than root could write. */
  readonly readInstalledRoot: () => Promise<Uint8Array | null>;
  readonly timers: Timers;
  readonly uptime: Uptime;
  readonly bootId: string;
  /** 0 to 1. */
  readonly random: () => number;
  /** The best known time, trusted or not. */
  readonly now: () => Date;
  /** The time that expiry dates are compared with: certainly not later than now while the clock is not trusted. */
  readonly expiryNow: () => Date;
  readonly isClockTrusted: () => boolean;
  readonly settings: () => Settings["update"];
  /** Channels that the host file allows; null: any that the settings name. */
  readonly allowedChannels: readonly string[] | null;
  /** `check_interval` in seconds. */
  readonly checkIntervalSeconds: () => number;
  /** The versions that run if no release was ever applied. */
  readonly installed: () => InstalledVersions;
  /** Versions that a package of this device brings: releases that are not newer are out of use. */
  readonly packaged: InstalledVersions;
  readonly notify: (type: UpdateEvent["type"], details: UpdateEvent["details"]) => void;
}

/** The installer, as the agent sees it: it can be started, and its journal read. */
export interface Installer {
  /**
   * Settles when the installer has begun: the release is then on trial, or the journal says why it was
   * refused. Throws `forbidden`, `not_found`, `rate_limited`, `internal_error` where it could not be asked, and the
   * signal's reason: that ends the waiting, not the installer.
   */
  ask(request: InstallRequest, signal: AbortSignal): Promise<void>;
  /** The agent has found a trial at its start: starts the installer where it is not running. */
  goOn(): void;
  /** The release journal; null: there is none. */
  read(): Promise<Uint8Array | null>;
  /** Hears that the journal may have changed; the result ends it. */
  watch(listener: () => void): () => void;
  /** The host file says how releases of this kind are put to work. */
  isSetUp(kind: UpdateKind): boolean;
  /** By the host file, the health of rules is asked where the binary answers. */
  rulesNeedBinary(): boolean;
}

export type InstallRequest =
  | { readonly verb: "install"; readonly id: string }
  | { readonly verb: "rollback"; readonly kind: UpdateKind };

/** Verified payloads on this device, by the id of their release. */
export interface Payloads {
  /** The ids of the payloads that are here whole. */
  staged(): Promise<readonly string[]>;
  /** Fetches a payload or its rest, and verifies it: staged then. Throws `update_*`, `storage_full`, the signal's reason. */
  fetch(payload: Payload, how: FetchPlan): Promise<void>;
  /** True where a payload can be made of a former one by a patch. */
  takesPatches(): boolean;
  /** Removes all but these, whole or in parts. */
  keepOnly(ids: readonly string[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** A repository that was sent as a file: it is on this device for one check. */
export interface UploadedRepository {
  /**
   * Unpacks it in place of one of before; the URL of its directory. Throws `update_archive_unusable`, `storage_full`,
   * `storage_unwritable`, and what the upload throws; then nothing of it is left.
   */
  unpack(upload: Upload): Promise<string>;
  /** Removes it, and what a power cut has left. */
  remove(): Promise<void>;
}

export interface Payload {
  readonly id: string;
  readonly target: FoundTarget;
  /** Patches on offer, of this payload and of others. */
  readonly patches: readonly Patch[];
}

export interface FetchPlan extends Omit<PayloadRequest, "found"> {
  /** Bytes that are here, those of earlier tries included. */
  readonly onProgress: (doneBytes: number) => void;
}
