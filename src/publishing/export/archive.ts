import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { type Pack, pack } from "tar-stream";
import { StewardError } from "../../contract/errors.ts";
import { createDigest, readSignedPayload } from "../../releases/signed-payload.ts";
import { mismatch } from "../../releases/staged-payload.ts";
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

async function written(out: FileHandle, files: readonly ArchivedFile[], mtime: Date): Promise<number> {
  const archive = pack();
  const results = await Promise.allSettled([fill(archive, files, mtime), writeAll(out, archive)]);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  // A payload that is not as it was signed is the reason for which the writing stopped.
  const cause = failures.find((failure) => failure instanceof StewardError) ?? failures[0];
  if (cause !== undefined) throw cause;
  // The umask of the program keeps others from reading.
  await out.chmod(publicMode);
  await out.sync();
  return (await out.stat()).size;
}

/** A write that fails ends the archive, and so the entry that is on its way. */
async function writeAll(out: FileHandle, archive: Pack): Promise<void> {
  for await (const piece of archive as AsyncIterable<Uint8Array>) await out.writeFile(piece);
}

async function fill(archive: Pack, files: readonly ArchivedFile[], mtime: Date): Promise<void> {
  try {
    for (const { name, content } of files) {
      const size = content instanceof Uint8Array ? content.length : content.file.length;
      const source = content instanceof Uint8Array ? [content] : verified(content);
      await putEntry(archive, { name, size, mode: publicMode, mtime }, Readable.from(source));
    }
    archive.finalize();
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** By hand: Node's pipeline does not notice the end of an entry, which is a stream of another make. */
function putEntry(archive: Pack, header: HeaderOfEntry, source: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()));
    entry.on("error", reject);
    source.on("error", (error) => entry.destroy(error));
    source.pipe(entry);
  });
}

type HeaderOfEntry = Parameters<Pack["entry"]>[0];

/** The signed bytes, and an error at the end of any others. */
async function* verified({ path, file }: { path: string; file: TargetFile }): AsyncGenerator<Uint8Array> {
  const digest = createDigest(readSignedPayload(file));
  for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
    digest.update(piece);
    yield piece;
  }
  const difference = digest.difference();
  if (difference !== null) throw mismatch(path, difference);
}
