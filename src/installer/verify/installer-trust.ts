import type { Floors } from "../../releases/selection.ts";
import {
  continuedRecord,
  replacedRecord,
  type UpdateRecord,
  updateRecordKind,
} from "../../releases/update-record.ts";
import { type Document, openDocument } from "../../store/documents/document.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import { openMetadataFiles } from "../../tuf/metadata-files.ts";
import { RootFollower } from "../../tuf/root-following.ts";
import { pathsOf, type ReleaseDirectories } from "../files/release-directories.ts";

/** The trusted metadata of the installer, in a directory that the agent can neither read nor write. */
export type InstallerTrust = Awaited<ReturnType<typeof openInstallerTrust>>;

/** Opens it, and creates missing files. The caller holds the lock of releases, so no other process has it open. */
export async function openInstallerTrust(directories: ReleaseDirectories) {
  await makeDirectory(directories.trust);
  const files = await openMetadataFiles(pathsOf(directories).metadata);
  const record = await openRecord(directories.trust);
  const follower = new RootFollower({
    files,
    anchor: () => record.read().anchor,
    onContinued: async (fingerprint) => {
      await record.update((present) => continuedRecord(present, fingerprint));
    },
    // The agent has recorded the event, and releases staged under the former root are refused under this one.
    onReplaced: async (fingerprint) => {
      await record.update((present) => replacedRecord(present, fingerprint));
    },
  });
  return {
    files,
    floors: (): Floors => record.read().floors,
    /** On the disk when it settles. */
    keepFloors: async (floors: Floors): Promise<void> => {
      await record.update((present) => (isSame(present.floors, floors) ? present : { ...present, floors }));
    },
    /** Makes the trusted metadata follow the installed root. Throws `update_root_unusable`. */
    follow: async (bytes: Uint8Array): Promise<void> => {
      await follower.follow(bytes);
    },
    close: (): Promise<void> => record.close(),
  };
}

/** Without a reserve: on a full disk nothing is installed anyway. */
function openRecord(directory: string): Promise<Document<UpdateRecord>> {
  const reserve = { release: async () => false, isGivenUp: () => false, refill: async () => false };
  return openDocument(directory, updateRecordKind, { isFirstStart: true, reserve });
}

function isSame(one: Floors, other: Floors): boolean {
  const sorted = (floors: Floors): string => JSON.stringify(Object.entries(floors).sort());
  return sorted(one) === sorted(other);
}
