import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { storageError, syncDirectory, temporaryName } from "../../store/files/durable-file.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { newFileFailure } from "../../terminal/failure.ts";

/** Most bytes between agent and command: the agent counts a backup as made once sent, so the disk must have room for them. */
const underWayBytes = 512 * 1024;

/**
 * Writes a backup to a file that only its owner can read: under another name until it is complete and on the disk. The
 * place is tried before anything is asked for. Returns its bytes. Throws CommandError, `storage_full`,
 * `storage_unwritable` and what the agent answers; then `path` is as it was.
 */
export async function writeBackup(
  path: string,
  /** A file that is there is replaced, once the new one is complete. */
  isReplaced: boolean,
  /** Asks for the bytes. */
  make: () => Promise<AsyncIterable<Uint8Array>>,
  interruption: AbortSignal,
): Promise<number> {
  await refuseTaken(path, isReplaced);
  const temporary = temporaryName(path);
  const file = await open(temporary, "wx", 0o600).catch(rethrown((error) => newFileFailure(error, path)));
  try {
    await onDisk(path, async () => {
      // A disk that has room for a part takes that part, and refuses the next.
      for (let at = 0; at < underWayBytes; )
        at += (await file.write(Buffer.alloc(underWayBytes - at), 0, undefined, at)).bytesWritten;
      await file.datasync();
    });
    const bytes = await fill(file, path, { pieces: await make(), interruption });
    await refuseTaken(path, isReplaced);
    await onDisk(path, () => rename(temporary, path).then(() => syncDirectory(dirname(path))));
    return bytes;
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** A device, a pipe or a directory is never replaced: as root, `--force /dev/sda` would leave a file in its place. */
async function refuseTaken(path: string, isReplaced: boolean): Promise<void> {
  const found = await stat(path).catch((error: unknown) =>
    systemErrorCode(error) === "ENOENT" ? null : undefined,
  );
  const isFile = found?.isFile() !== false;
  if (found === null || (isReplaced && isFile)) return;
  const why = isFile
    ? "already exists and was not replaced. Name another file, or add --force."
    : "is not a file, and was not replaced. Name a file, or - for standard output.";
  throw new CommandError(1, escapeText(`${path} ${why}`));
}

async function fill(
  file: FileHandle,
  path: string,
  { pieces, interruption }: { pieces: AsyncIterable<Uint8Array>; interruption: AbortSignal },
): Promise<number> {
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      if (interruption.aborted) throw new CommandError(130, "Interrupted; no backup was written.");
      await onDisk(path, () => file.writeFile(piece));
      bytes += piece.length;
    }
    await onDisk(path, () => file.truncate(bytes).then(() => file.sync()));
    return bytes;
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== 8) throw error;
    const text = `The agent stopped in the middle of the backup, and ${path} was not written: the agent's log says why (\`steward logs\`).`;
    throw new CommandError(8, escapeText(text));
  } finally {
    await file.close();
  }
}

/** A failure of the place that a person has named, in its words. */
async function onDisk(path: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const told = storageError(path, error);
    throw new StewardError(told.code, told.message.replace("was not changed", "was not written"), {
      cause: error,
    });
  }
}
