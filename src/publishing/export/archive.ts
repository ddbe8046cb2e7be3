import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { StewardError } from "../../contract/errors.ts";
import { createDigest, readSignedPayload } from "../../releases/signed-payload.ts";
import { mismatch } from "../../releases/staged-payload.ts";
import { archiveOf } from "../../store/archives/write-tar.ts";
import { storageError, syncDirectory, temporaryName } from "../../store/files/durable-file.ts";
import type { TargetFile } from "../../tuf/metadata.ts";
import { publicMode } from "../files.ts";

/** A file of an archive: bytes, or a payload on the disk that is hashed on its way. */
export interface ArchivedFile {
  /** Such as `metadata/timestamp.json`. */
  readonly name: string;
  readonly content: Uint8Array | { readonly path: string; readonly file: TargetFile };
}

/**
 * Writes a tar archive (POSIX.1-2001: names are longer than a ustar header holds) whole or not at all, and returns its
 * bytes. Throws `update_payload_mismatch` for a payload that is not what was signed, `storage_full`, `storage_unwritable`.
 */
export async function writeArchive(
  path: string,
  files: readonly ArchivedFile[],
  modifiedAt: Date,
): Promise<number> {
  const temporary = temporaryName(path);
  try {
    const out = await open(temporary, "wx", publicMode);
    const bytes = await written(out, files, modifiedAt).finally(() => out.close());
    await rename(temporary, path);
    await syncDirectory(dirname(path));
    return bytes;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error instanceof StewardError ? error : storageError(path, error);
  }
}

async function written(out: FileHandle, files: readonly ArchivedFile[], modifiedAt: Date): Promise<number> {
  const entries = files.map(({ name, content }) => {
    if (content instanceof Uint8Array) return { path: name, bytes: content.length, content: [content] };
    return { path: name, bytes: content.file.length, content: verified(content) };
  });
  for await (const piece of archiveOf(entries, modifiedAt, publicMode)) await out.writeFile(piece);
  // The umask of the program keeps others from reading.
  await out.chmod(publicMode);
  await out.sync();
  return (await out.stat()).size;
}

/** The signed bytes, and an error at the end of any others. */
async function* verified({ path, file }: { path: string; file: TargetFile }): AsyncGenerator<Uint8Array> {
  const digest = createDigest(readSignedPayload(file));
  let bytes = 0;
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    digest.update(piece);
    bytes += piece.length;
    if (bytes > file.length) break;
    yield piece;
  }
  const difference = digest.difference();
  if (difference !== null) throw mismatch(path, difference);
}
