import { StewardError } from "../contract/errors.ts";
import type { Metadata, RoleType, Root } from "./metadata.ts";
import { metadataSteps } from "./read-metadata.ts";
import { readRootOfTrust } from "./root-of-trust.ts";
import { requireUnexpired, type Session } from "./session.ts";
import { bytesOfKey, keysOf, placeholderKey, signersOf, verifySignatures } from "./signatures.ts";
import { inTurns } from "./steps.ts";

/** TUF §5.2 and §5.3: from the root that is trusted to the newest one, each signed by the one before it. */
export async function updateRoot(session: Session): Promise<{ root: Root; rotations: number }> {
  const first = await loadRoot(session); // §5.2
  let root = first;
  while (root.version - first.version < session.caps.rootRotations) {
    const next = await nextRoot(session, root); // §5.3.3 to §5.3.7
    if (next === null) {
      // Before §5.3.10, which may end this refresh: the next one begins with this root and sees no change of keys.
      await forgetRotated(session, root); // §5.3.11
      requireUnexpired(session, "root", root); // §5.3.10
      return { root, rotations: root.version - first.version };
    }
    if (isRotating(root, next.signed)) {
      await session.files.write(rotation, Buffer.from(String(next.signed.version)));
    }
    await session.files.write("root", next.bytes); // §5.3.8
    root = next.signed; // §5.3.9
  }
  throw new StewardError(
    "update_limit_exceeded",
    `There are more than ${session.caps.rootRotations} new roots at once; the ones so far are kept, and the next check continues from there.`,
  );
}

/** §5.2. The trusted root is verified each time: a file can be damaged, an earlier release may have taken an invalid key. */
async function loadRoot({ files, verifiers }: Session): Promise<Root> {
  const bytes = await files.read("root");
  if (bytes !== null) return readRootOfTrust(bytes, verifiers).root;
  throw new StewardError(
    "update_trust_not_established",
    "There is no trusted root to hold the server's files against.",
  );
}

/** §5.3.3 to §5.3.7; null: there is none, so `root` is the newest. */
async function nextRoot(
  { repository, caps, verifiers }: Session,
  root: Root,
): Promise<Metadata<"root"> | null> {
  const file = `${root.version + 1}.root.json`;
  const read = await repository.readMetadata(file, { maximumBytes: caps.rootBytes }); // §5.3.3
  if (read === null || read === "unchanged") return null;
  const next = await inTurns(metadataSteps("root", read.bytes, caps));
  verifySignatures(next, signersOf(root, "root"), verifiers); // §5.3.4: arbitrary software attack
  verifySignatures(next, signersOf(next.signed, "root"), verifiers);
  // §5.3.5: rollback attack
  if (next.signed.version !== root.version + 1) {
    throw new StewardError(
      "update_metadata_mismatch",
      `metadata/${file} holds version ${next.signed.version}.`,
    );
  }
  const problem = placeholderKey(next.signed.keys);
  if (problem !== null)
    throw new StewardError("update_signature_invalid", `${problem}, so metadata/${file} is refused.`);
  return next;
}

/** Holds the version of the last root that removed a key, until the metadata signed by that key are forgotten. */
const rotation = "root/rotation";

/**
 * §5.3.11: fast-forward attack. The holder of a removed key may have used up the version numbers. The note of this is
 * on the disk before the root is, so that a crash in between changes nothing.
 */
async function forgetRotated({ files }: Session, root: Root): Promise<void> {
  const noted = await files.read(rotation);
  if (noted === null || Number(Buffer.from(noted).toString()) > root.version) return;
  await files.remove("snapshot");
  await files.remove("timestamp");
  await files.remove(rotation);
}

function isRotating(root: Root, next: Root): boolean {
  return (["timestamp", "snapshot"] as const).some((role) => {
    const kept = publicKeys(next, role);
    return publicKeys(root, role).some((key) => !kept.includes(key));
  });
}

function publicKeys(root: Root, role: RoleType): string[] {
  return keysOf(signersOf(root, role)).map(([id, key]) => (key ? bytesOfKey(key) : id));
}
