import { StewardError } from "../../contract/errors.ts";
import type { Refreshed } from "../../tuf/client.ts";
import { refresh } from "../../tuf/refresh.ts";
import type { Session } from "../../tuf/session.ts";

/** The errors that the age of a medium has, in its words. */
const ages: Readonly<Record<string, string>> = {
  update_metadata_expired: "This medium has expired.",
  update_rollback_refused: "This medium is older than what this device has seen.",
  update_signature_invalid:
    "This medium is from before a change of the publisher's keys, or another publisher's.",
};

/**
 * Refreshes from a stick, a directory or a file that was sent. None of them can be newer than the day it was made, so one
 * that is outdated is no attack: the metadata that the device has kept decide, held against every rule of the client again,
 * and only payloads come from the medium (docs/design/updates.md, rule 16). `outdated` is then the error for a medium that
 * has none of them. Throws what `refresh` throws.
 */
export async function refreshFromMedium(
  session: Session,
): Promise<{ refreshed: Refreshed; outdated: StewardError | null }> {
  try {
    return { refreshed: await refresh(session), outdated: null };
  } catch (error) {
    const words = error instanceof StewardError ? ages[error.code] : undefined;
    if (!(error instanceof StewardError) || words === undefined) throw error;
    const again = "Export the repository again (`steward-publisher export`), and bring the new archive.";
    const outdated = new StewardError(error.code, `${words} ${error.message} ${again}`);
    return { refreshed: await refreshAsKept(session).catch(() => Promise.reject(outdated)), outdated };
  }
}

/** Accepts nothing new: each role is the kept file that the one above it names, still signed and not expired. */
function refreshAsKept(session: Session): Promise<Refreshed> {
  const readMetadata = async (name: string) => {
    const bytes = name === "timestamp.json" ? await session.files.read("timestamp") : null;
    return bytes && { bytes, validators: { etag: null, last_modified: null } };
  };
  return refresh({ ...session, repository: { ...session.repository, readMetadata } });
}
