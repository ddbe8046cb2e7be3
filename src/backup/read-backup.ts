import { createHash } from "node:crypto";
import type { FoundFile } from "../store/archives/read-tar.ts";
import {
  type FileOfBackup,
  type Manifest,
  manifestPath,
  mostManifestBytes,
  readManifest,
} from "./manifest.ts";
import { type ArchiveCaps, readArchive } from "./read-archive.ts";
import { unusableBackup } from "./unusable.ts";

/** A backup that is being read. */
export interface OpenedBackup {
  readonly manifest: Manifest;
  /**
   * Its files in their order; each content is read, or skipped, before the next file is asked for. What is read here is
   * known to be whole only once the generator has ended. Throws `backup_unusable` for a file that is not as the manifest
   * says, is not in it or is missing.
   */
  readonly files: AsyncGenerator<FoundFile>;
}

/**
 * Reads a backup's archive, once it is decrypted, up to its manifest. Throws `backup_unusable`, and what the source
 * throws. A caller that gives up calls `files.return()`.
 */
export async function openBackup(
  plain: AsyncIterable<Uint8Array>,
  caps?: ArchiveCaps,
): Promise<OpenedBackup> {
  const archive = readArchive(plain, caps);
  try {
    const { value: first } = await archive.next();
    if (first === undefined || first.path !== manifestPath || first.bytes > mostManifestBytes)
      throw unusableBackup("is not one of Steward's");
    const pieces: Uint8Array[] = [];
    for await (const piece of first.content) pieces.push(piece);
    const manifest = readManifest(Buffer.concat(pieces));
    return { manifest, files: verified(archive, manifest) };
  } catch (error) {
    await archive.return(undefined);
    throw error;
  }
}

async function* verified(archive: AsyncGenerator<FoundFile>, { files }: Manifest): AsyncGenerator<FoundFile> {
  const missing = new Map(files.map((file) => [file.path, file]));
  for await (const { path, bytes, content } of archive) {
    const listed = missing.get(path);
    if (listed === undefined)
      throw unusableBackup(`has ${JSON.stringify(path)}, which its list does not name`);
    missing.delete(path);
    if (listed.bytes !== bytes) throw altered(listed);
    const hashed = withHash(content, listed);
    yield { path, bytes, content: hashed };
    // The rest of a file that the caller has not read is judged all the same.
    for await (const _ of hashed);
  }
  const [lost] = missing.keys();
  if (lost !== undefined) throw unusableBackup(`lacks ${JSON.stringify(lost)}, which its list names`);
}

async function* withHash(
  content: AsyncIterable<Uint8Array>,
  listed: FileOfBackup,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest("hex") !== listed.sha256) throw altered(listed);
}

function altered({ path }: FileOfBackup): Error {
  return unusableBackup(`holds ${JSON.stringify(path)} other than its list says`);
}
