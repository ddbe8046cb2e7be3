import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rethrown, StewardError } from "../contract/errors.ts";
import { createDigest, readSignedPayload } from "../releases/signed-payload.ts";
import { storageError, syncDirectory, temporaryName } from "../store/files/durable-file.ts";
import { caps } from "../tuf/caps.ts";
import type { TargetFile } from "../tuf/metadata.ts";
import { makePublicDirectory, namesIn, putCopy, removeFile, unreadable } from "./files.ts";
import { hashedPath } from "./release-entry.ts";
import { type ReleaseRole, type RoleFiles, releaseRoles } from "./roles.ts";
import type { Workspace } from "./workspace.ts";

/** The signed properties of a payload. */
export interface Measured {
  readonly length: number;
  /**
   * Only SHA-512: with consistent snapshots a client may ask for a file under any signed hash (TUF §5.7.3), and it is
   * stored under one.
   */
  readonly hashes: { readonly sha512: string };
}

/**
 * Copies a payload to draft/payloads/<sha512> and hashes it on the way, so that the signed bytes are published even if the
 * file changes. It comes to public/ together with its metadata, so that no upload in between discloses it.
 */
export async function stagePayload({ payloads }: Workspace, file: string): Promise<Measured> {
  const source = await open(file, "r").catch(rethrown((error) => unreadable(file, error)));
  const temporary = temporaryName(join(payloads, "payload"));
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw new StewardError("validation_failed", `${file} is not a regular file.`);
    requireSize(stats.size, file);
    const measured = await copyHashed(source, temporary, file);
    await rename(temporary, join(payloads, measured.hashes.sha512));
    await syncDirectory(payloads);
    return measured;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error instanceof StewardError ? error : storageError(join(payloads, "payload"), error);
  } finally {
    await source.close();
  }
}

function requireSize(bytes: number, file: string): void {
  if (bytes > 0 && bytes <= caps.payloadBytes) return;
  throw new StewardError(
    "validation_failed",
    `${file} has ${bytes} bytes; devices accept 1 to ${caps.payloadBytes}. Nothing was changed.`,
  );
}

async function copyHashed(source: FileHandle, temporary: string, file: string): Promise<Measured> {
  const hash = createHash("sha512");
  const copy = await open(temporary, "wx", 0o600);
  let length = 0;
  try {
    for await (const chunk of source.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      requireSize(length, file);
      hash.update(chunk);
      await copy.writeFile(chunk);
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
  requireSize(length, file);
  return { length, hashes: { sha512: hash.digest("hex") } };
}

/** The path of the payload of a target, among the drafts or published. Throws `not_found`, `update_metadata_malformed`. */
export async function locatePayload(
  workspace: Pick<Workspace, "targets" | "payloads">,
  path: string,
  file: TargetFile,
): Promise<string> {
  // The strongest hash: other tools sign only SHA-256.
  const { nameHash } = readSignedPayload(file);
  const published = join(workspace.targets, hashedPath(path, nameHash));
  for (const place of [published, join(workspace.payloads, nameHash)]) {
    const { size } = await stat(place).catch(() => ({ size: -1 }));
    if (size === file.length) return place;
  }
  throw new StewardError(
    "not_found",
    `The payload of ${path} is missing, or has another size than was signed. Copy ${published} back from the server, or add the payload again with steward-publisher add. Nothing was changed.`,
  );
}

/** Reads a whole payload again. Throws `update_payload_mismatch`. */
export async function verifyPayload(place: string, file: TargetFile): Promise<void> {
  const digest = createDigest(readSignedPayload(file));
  for await (const chunk of createReadStream(place) as AsyncIterable<Buffer>) digest.update(chunk);
  if (digest.difference() === null) return;
  throw new StewardError(
    "update_payload_mismatch",
    `${place} has changed since it was signed. Nothing was changed. Copy it back from the server, or remove it and add the payload again with steward-publisher add.`,
  );
}

/** Publishes a staged payload under its public name, unless it is there already. */
export async function publishPayload(workspace: Workspace, path: string, file: TargetFile): Promise<void> {
  const place = join(workspace.targets, hashedPath(path, file.hashes.sha512 ?? ""));
  const from = await locatePayload(workspace, path, file);
  if (from === place) return;
  await makePublicDirectory(dirname(place));
  await putCopy(from, place);
}

/** Removes staged payloads that these drafts do not name, and leftovers of interrupted commands. */
export async function clearPayloads(
  { payloads }: Workspace,
  drafts: Pick<RoleFiles, ReleaseRole>,
): Promise<void> {
  const named = releaseRoles.flatMap((role) => Object.values(drafts[role]?.signed.targets ?? {}));
  const kept = new Set(named.map(({ hashes }) => hashes.sha512));
  for (const name of await namesIn(payloads)) if (!kept.has(name)) await removeFile(join(payloads, name));
}
