import { arch } from "node:os";
import { join } from "node:path";
import type { TrustedTime } from "../../accounts/trusted-time.ts";
import { durationSeconds } from "../../contract/durations.ts";
import { StewardError } from "../../contract/errors.ts";
import type { Settings } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import type { UnpackPatch } from "../../releases/download/patched-part.ts";
import type { RepositoryOptions } from "../../releases/download/repository-files.ts";
import type { UpdateRecord } from "../../releases/update-record.ts";
import type { Document } from "../../store/documents/document.ts";
import type { SettingsGuard } from "../../system/settings/faults.ts";
import { caps } from "../../tuf/caps.ts";
import { keepingRoots } from "../../tuf/kept-roots.ts";
import { type MetadataFiles, openMetadataFiles, readMetadataFiles } from "../../tuf/metadata-files.ts";
import type { Repository } from "../../tuf/repository.ts";
import { createPayloadStore } from "../../updates/download/payload-store.ts";
import { createUploadedRepository } from "../../updates/download/uploaded-repository.ts";
import { loadUpdateClient } from "../../updates/load-update-client.ts";
import { createSettingsGuard } from "../../updates/settings-guard.ts";
import { openUpdates, type UpdateRoom, type Updates } from "../../updates/updater.ts";
import type { UpdateDecisions } from "../host-file/decisions.ts";
import type { HostUpdateConfig } from "../host-file/host-file.ts";
import { once } from "../once.ts";
import { packagedVersions } from "../packaged-versions.ts";
import type { RoomsConfig } from "./config.ts";
import { createInstallerClient, noInstaller } from "./installer-client.ts";

/** The parts that the updates of this device are joined from. */
interface UpdatePlan extends Omit<RoomsConfig, "host" | "time"> {
  readonly record: Document<UpdateRecord>;
  readonly settings: () => Settings["update"];
  readonly time: TrustedTime;
  readonly host: Host;
  readonly events: EventSink;
  readonly unpackPatch: UnpackPatch;
}

export function openHostUpdates(plan: UpdatePlan): Promise<UpdateRoom> {
  const { update, settings, time, events, build, host } = plan;
  const product = plan.product.name;
  const { uptime, timers } = host.time;
  const directory = join(plan.stateDirectory, "updates");
  const openFiles = plan.readsOnly ? readMetadataFiles : createLazyFiles;
  const transfers = host.network.openTransfers({
    ...update,
    userAgent: `Steward/${build.version} (${product}; ${arch()})`,
    redirects: caps.redirects,
  });
  return openUpdates({
    ...plan,
    product,
    uptime,
    timers,
    bootId: host.identity.bootId,
    agentVersion: build.version,
    allowedChannels: update.channels,
    files: keepingRoots(openFiles(join(directory, "metadata")), openFiles(join(directory, "roots"))),
    installer: plan.installer
      ? createInstallerClient({ ...plan.installer, apply: update.apply, helper: host.helper })
      : noInstaller,
    uploaded: createUploadedRepository(
      directory,
      host.files.freeSpace,
      async () => (await import("../../updates/download/unpack-repository.ts")).unpackRepository,
    ),
    payloads: payloadsOf(plan, directory),
    openRepository: (url, signal, report) => openRepository({ transfers, url, caps, signal, report }),
    readInstalledRoot: installedRootReader(update, host),
    random: Math.random,
    now: time.now,
    expiryNow: time.expiryNow,
    isClockTrusted: time.isTrusted,
    checkIntervalSeconds: () => durationSeconds(settings().ota.check_interval),
    arch: arch(),
    packaged: packagedVersions(product),
    installed: () => ({ rules: null, binary: product === "steward" ? build.version : null }),
    notify: (type, details) => void events.record(agentEvent(type, details)),
  });
}

/** A reader of the state deletes no fetched files. */
function payloadsOf({ installer, host, unpackPatch, readsOnly }: UpdatePlan, directory: string) {
  const payloads = createPayloadStore({
    directory,
    caps,
    installation: installer?.directories,
    freeSpace: host.files.freeSpace,
    unpackPatch,
    loadFetch: async () => (await loadUpdateClient()).fetchPayload,
  });
  const kept = async () => undefined;
  return readsOnly ? { ...payloads, keepOnly: kept, remove: kept } : payloads;
}

/** Loaded when it is first needed, as the update client: an agent that never checks does without its memory. */
async function openRepository(options: RepositoryOptions): Promise<Repository> {
  return (await import("../../releases/download/repository-files.ts")).openRepository(options);
}

export function installedRootReader(
  { unusable, rootFile, own }: HostUpdateConfig,
  { files }: Pick<Host, "files">,
): () => Promise<Uint8Array | null> {
  return async () => {
    if (unusable !== undefined) throw new StewardError("update_root_unusable", unusable);
    return files.readInstalledRoot(rootFile, { own, maximumBytes: caps.rootBytes });
  };
}

export function settingsGuardOf(
  { allowLocalServers, channels }: UpdateDecisions,
  { isLocalServer }: Host["network"],
  updates: Updates,
): SettingsGuard {
  const mayUpdateFrom = (server: string) => allowLocalServers || !isLocalServer(server);
  return createSettingsGuard(updates, mayUpdateFrom, channels);
}

/** Opened when first needed: a disk on which no directory can be made does not prevent a start. */
function createLazyFiles(directory: string): MetadataFiles {
  const open = once(() => openMetadataFiles(directory));
  return {
    read: async (role) => (await open()).read(role),
    write: async (role, bytes) => (await open()).write(role, bytes),
    remove: async (role) => (await open()).remove(role),
    clear: async () => (await open()).clear(),
  };
}
