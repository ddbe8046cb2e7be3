import { StewardError } from "../contract/errors.ts";
import type { Refreshed } from "./client.ts";
import type { Root, Snapshot, Targets, Timestamp } from "./metadata.ts";
import { readMetadata } from "./read-metadata.ts";
import type { Validators } from "./repository.ts";
import {
  isNamed,
  loadTrusted,
  missing,
  readNamed,
  requireNoRollback,
  requireNotBelow,
  requireUnexpired,
  type Session,
} from "./session.ts";
import { type Signers, signersOf, verifySignatures } from "./signatures.ts";
import { createTargetSearch } from "./target-search.ts";
import { updateRoot } from "./update-root.ts";

/**
 * The client's workflow, TUF specification 1.0.34 §5.1 to §5.6. `files` hold a trusted root. Each file is kept as soon
 * as it is verified and before it is used; if anything fails, the files kept before remain valid. Throws the codes
 * `update_*`, `storage_full` and `storage_unwritable`.
 */
export async function refresh(session: Session): Promise<Refreshed> {
  const { root, rotations } = await updateRoot(session); // §5.2, §5.3
  const { timestamp, validators } = await updateTimestamp(session, root); // §5.4
  const snapshot = await updateSnapshot(session, root, timestamp); // §5.5
  const load = (signers: Signers) => updateTargets(session, signers, { root, snapshot });
  const top = signersOf(root, "targets");
  await load(top); // §5.6
  const search = createTargetSearch(session.caps, load, top);
  return { root, timestamp, snapshot, rotations, validators, ...search };
}

/** §5.4 */
async function updateTimestamp(
  session: Session,
  root: Root,
): Promise<{ timestamp: Timestamp; validators: Validators | undefined }> {
  const signers = signersOf(root, "timestamp");
  const trusted = await loadTrusted(session, "timestamp", signers);
  const known = trusted === null ? undefined : session.known;
  const read = await session.repository.readMetadata("timestamp.json", {
    maximumBytes: session.caps.timestampBytes,
    ...(known && { known }),
  }); // §5.4.1
  if (read === null) throw missing("timestamp.json");
  if (read === "unchanged") {
    if (!trusted)
      throw new StewardError("update_server_refused", "It answered 304 to a request without a condition.");
    // A server can freeze a device by answering "unchanged" for a file that it should have renewed.
    requireUnexpired(session, "timestamp", trusted.signed);
    return { timestamp: trusted.signed, validators: known };
  }
  const next = readMetadata("timestamp", read.bytes, session.caps);
  verifySignatures(next, signers, session.verifiers); // §5.4.2
  const isKnown = trusted !== null && !isNewer(next.signed, trusted.signed); // §5.4.3
  const timestamp = isKnown ? trusted.signed : next.signed;
  requireUnexpired(session, "timestamp", timestamp); // §5.4.4
  if (!isKnown) await session.files.write("timestamp", next.bytes); // §5.4.5
  return { timestamp, validators: read.validators };
}

/** §5.4.3: rollback attack. False for the version that is already trusted, which then stays as it is. */
function isNewer(next: Timestamp, trusted: Timestamp): boolean {
  requireNotBelow("timestamp", next, trusted); // §5.4.3.1
  if (next.version === trusted.version) return false;
  requireNotBelow("snapshot", next.meta["snapshot.json"], trusted.meta["snapshot.json"]); // §5.4.3.2
  return true;
}

/** §5.5 */
async function updateSnapshot(session: Session, root: Root, { meta }: Timestamp): Promise<Snapshot> {
  const signers = signersOf(root, "snapshot");
  const named = meta["snapshot.json"];
  const trusted = await loadTrusted(session, "snapshot", signers);
  if (trusted && isNamed(trusted, named)) {
    requireUnexpired(session, "snapshot", trusted.signed);
    return trusted.signed;
  }
  const next = await readNamed(session, "snapshot", { signers, named, root }); // §5.5.1 to §5.5.4
  if (trusted) requireNoRollback(next.signed, trusted.signed); // §5.5.5
  requireUnexpired(session, "snapshot", next.signed); // §5.5.6
  await session.files.write("snapshot", next.bytes); // §5.5.7
  return next.signed;
}

/** §5.6, for the top-level role and for each delegated one. */
async function updateTargets(
  session: Session,
  signers: Signers,
  { root, snapshot }: { root: Root; snapshot: Snapshot },
): Promise<Targets> {
  const { name } = signers;
  const named = snapshot.meta[`${name}.json`];
  if (!named) {
    throw new StewardError("update_metadata_mismatch", `The snapshot does not name the role ${name}.`);
  }
  const trusted = await loadTrusted(session, "targets", signers);
  if (trusted && isNamed(trusted, named)) {
    requireUnexpired(session, name, trusted.signed);
    return trusted.signed;
  }
  const next = await readNamed(session, "targets", { signers, named, root }); // §5.6.1 to §5.6.4
  requireUnexpired(session, name, next.signed); // §5.6.5
  await session.files.write(name, next.bytes); // §5.6.6
  return next.signed;
}
