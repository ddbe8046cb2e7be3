import { access, chmod } from "node:fs/promises";
import { dirname } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { makeDirectory, type Owner, storageError, writeDurably } from "../../store/files/durable-file.ts";
import { CommandError } from "../../terminal/command-error.ts";

interface RootFile {
  readonly content: string | Uint8Array;
  readonly mode: number;
  /** Kept, because the agent may read a file that is closed to others only by its group. */
  readonly owner?: Owner | undefined;
}

/** Writes root's file in /etc, whatever the umask. Throws CommandError(4), `storage_full`, `storage_unwritable`. */
export async function writeRootFile(path: string, { content, mode, owner }: RootFile): Promise<void> {
  const directory = dirname(path);
  try {
    await access(directory).catch(async () => {
      await makeDirectory(directory);
      await chmod(directory, 0o755);
    });
    await writeDurably(path, content, mode, owner);
  } catch (error) {
    throw rootFileFailure(error, path);
  }
}

/** An error for a file of root that cannot be changed: its meaning, and what to do. */
export function rootFileFailure(error: unknown, path: string): Error {
  const cause = error instanceof StewardError ? error.cause : error;
  const code = systemErrorCode(cause);
  if (code === "EACCES" || code === "EPERM")
    return new CommandError(4, `${path} is root's; run the command as root on the device.`);
  if (code !== "EROFS") return storageError(path, error);
  const { message } = storageError(path, error);
  const byDesign = "If it is read-only on purpose, see docs/read-only-root.md for what has to be writable.";
  return new StewardError("storage_unwritable", `${message} ${byDesign}`, { cause });
}
