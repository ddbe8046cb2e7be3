import { StewardError } from "../../contract/errors.ts";
import type { Refreshed } from "../../tuf/client.ts";
import { readMetadata } from "../../tuf/read-metadata.ts";
import { refresh } from "../../tuf/refresh.ts";
import type { Session } from "../../tuf/session.ts";

/** `outdated`: why no metadata of the medium counts, so that `refreshed` is what the device knew before; null: they count. */
interface MediumRefresh {
  readonly refreshed: Refreshed;
  readonly outdated: StewardError | null;
}

/**
 * Refreshes from a stick, a directory or a file that was sent. None of them can be newer than the day it was made, so one
 * that is outdated is no attack: the metadata that the device has kept decide, held against every rule of the client again,
 * and only payloads come from the medium (docs/design/updates.md, rule 16). Throws what `refresh` throws; where the kept
 * metadata cannot decide, in words about the medium.
 */
export async function refreshFromMedium(session: Session): Promise<MediumRefresh> {
  try {
    return { refreshed: await refresh(session), outdated: null };
  } catch (error) {
    const outdated = error instanceof StewardError ? await outdatedBecause(error, session) : null;
    if (outdated === null) throw error;
    return { refreshed: await refreshAsKept(session).catch(() => Promise.reject(outdated)), outdated };
  }
}

/** Accepts nothing new: each role is the kept file that the one above it names, still signed and not expired. */
function refreshAsKept(session: Session): Promise<Refreshed> {
  const validators = { etag: null, last_modified: null };
  const readKept = async (name: string) => {
    const bytes = name === "timestamp.json" ? await session.files.read("timestamp") : null;
    return bytes && { bytes, validators };
  };
  return refresh({ ...session, repository: { ...session.repository, readMetadata: readKept } });
}

/** null: the error has another reason than the age of the medium. */
async function outdatedBecause(error: StewardError, session: Session): Promise<StewardError | null> {
  const again = "Export the repository again (`steward-publisher export`) and bring the new archive.";
  const { code } = error;
  if (code === "update_metadata_expired")
    return new StewardError(code, `This medium has expired. ${error.message} ${again}`);
  if (code === "update_rollback_refused") return new StewardError(code, `${await agesOf(session)} ${again}`);
  if (code !== "update_signature_invalid") return null;
  const root = await missingRoot(session);
  return root === null
    ? null
    : new StewardError(
        "update_rollback_refused",
        `This medium was made before the publisher's last change of keys: it has no metadata/${root}, which this device trusts. ${again}`,
      );
}

async function agesOf({ repository, files, caps }: Session): Promise<string> {
  const offered = await repository.readMetadata("timestamp.json", { maximumBytes: caps.timestampBytes });
  const kept = await files.read("timestamp");
  const age = (bytes: Uint8Array): string => {
    const { version, expires } = readMetadata("timestamp", bytes, caps).signed;
    return `version ${version}, good until ${expires}`;
  };
  const isReadable = offered !== null && offered !== "unchanged" && kept !== null;
  const ages = isReadable ? `: ${age(offered.bytes)}, where the device knows ${age(kept)}` : "";
  return `The metadata on this medium are older than those that this device has seen${ages}.`;
}

/** The root that the device trusts, if the medium ends before it; null: it is there, or is the first one. */
async function missingRoot({ repository, files, caps }: Session): Promise<string | null> {
  const kept = await files.read("root");
  const version = kept === null ? 1 : readMetadata("root", kept, caps).signed.version;
  const file = `${version}.root.json`;
  const isBehind =
    version > 1 && (await repository.readMetadata(file, { maximumBytes: caps.rootBytes })) === null;
  return isBehind ? file : null;
}
