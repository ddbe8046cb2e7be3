import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { FoundFile } from "../../store/archives/read-tar.ts";
import {
  type FileOfBackup,
  type Manifest,
  manifestPath,
  mostManifestBytes,
  readManifest,
} from "./manifest.ts";
import { type ArchiveCaps, readArchive, unusableBackup } from "./read-archive.ts";

export type OpenedBackup = Awaited<ReturnType<typeof openBackup>>;

/**
 * Reads a backup's archive up to its manifest. `open` decrypts it from its beginning, and is asked again where a person has
 * packed it with other files before the manifest. Throws `backup_unusable`, and what the source throws. A caller that
 * gives up calls `files.return()`.
 */
export async function openBackup(open: () => AsyncIterable<Uint8Array>, caps?: ArchiveCaps) {
  const archive = readArchive(open(), caps);
  let isFirst = true;
  try {
    for (let next = await archive.next(); !next.done; next = await archive.next()) {
      if (next.value.path === manifestPath) {
        const manifest = await manifestIn(next.value);
        if (isFirst) return { manifest, files: verified(archive, manifest) };
        await archive.return(undefined);
        return { manifest, files: verified(readArchive(open(), caps), manifest) };
      }
      isFirst = false;
    }
    throw unusableBackup("is not one of Steward's: it has no backup.json at its top");
  } catch (error) {
    await archive.return(undefined);
    throw error;
  }
}

async function manifestIn({ bytes, content }: FoundFile): Promise<Manifest> {
  if (bytes > mostManifestBytes) throw unusableBackup("is not one of Steward's");
  return readManifest(await buffer(content));
}

/**
 * The files in their order; each content is read, or skipped, before the next file is asked for. What is read here is known
 * to be whole only once the generator has ended. Throws `backup_unusable` for a file that is not as the manifest says, is not
 * in it or is missing.
 */
async function* verified(archive: AsyncGenerator<FoundFile>, { files }: Manifest): AsyncGenerator<FoundFile> {
  const missing = new Map(files.map((file) => [file.path, file]));
  for await (const { path, bytes, content } of archive) {
    if (path === manifestPath) continue;
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
