import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { Upload } from "../../contract/types.ts";
import type { FreeSpace } from "../../host/ports.ts";
import { requireSpace } from "../../releases/needed-space.ts";
import { type FoundFile, readTar, type TarRules } from "../../store/archives/read-tar.ts";
import { storageError } from "../../store/files/durable-file.ts";

/** Bytes between two looks at the disk: other programs write to it meanwhile. */
const lookBytes = 8 * 1024 ** 2;

/** `bytes`: of the largest payload twice, for a device may have rules and a binary; the upload itself has a lower bound. */
const usualRules = { bytes: 8 * 1024 ** 3, files: 10_000 } as const;

const compressed = "is compressed. Unpack it first (gunzip, unzstd, unzip), and send the tar";

/** Bytes of a component (NAME_MAX), and components of a path. */
const componentBytes = 255;
const mostComponents = 16;

/**
 * Unpacks the archive of a repository into a directory that exists and is empty: `metadata/` and `targets/`, which are at
 * its top or one folder below. Other files are passed over. Nothing in it is trusted: it is read as a server's answers
 * are. Throws `update_archive_unusable`, `storage_full`, `storage_unwritable`, and what the upload throws; the files that
 * were written stay then.
 */
export async function unpackRepository(
  upload: Upload,
  directory: string,
  freeSpace: FreeSpace,
  rules: Pick<TarRules, "bytes" | "files"> = usualRules,
): Promise<void> {
  const room = createRoom(directory, freeSpace);
  await room.require(upload.lengthBytes ?? 0);
  let top: string | null = null;
  for await (const file of readTar(upload, { ...rules, isSafePath, compressed, unusable })) {
    const place = placeOf(file.path);
    if (place === null || (top !== null && place.top !== top)) continue;
    top = place.top;
    await write(file, join(directory, place.path), room);
  }
  if (top === null)
    throw unusable("has no folder `metadata`, or none that is at its top or one folder below it");
}

/** The part of a path from `metadata` or `targets` on, and the folder before it; null: it has neither. */
function placeOf(path: string): { readonly top: string; readonly path: string } | null {
  const [, top = "", below] = /^([^/]+\/)?((?:metadata|targets)\/.+)$/.exec(path) ?? [];
  return below === undefined ? null : { top, path: below };
}

async function write({ content, path: name }: FoundFile, path: string, room: Room): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, "wx", 0o600);
    try {
      for await (const piece of content) {
        await room.take(piece.length);
        for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
      }
    } finally {
      await file.close();
    }
  } catch (cause) {
    const code = systemErrorCode(cause) ?? "";
    if (cause instanceof StewardError || code === "") throw cause;
    if (["EEXIST", "ENOTDIR", "EISDIR"].includes(code))
      throw unusable(`has ${JSON.stringify(name)} both as a file and as a folder`, cause);
    throw storageError(path, cause);
  }
}

type Room = ReturnType<typeof createRoom>;

/** The disk's free space, beyond the reserve. */
function createRoom(directory: string, freeSpace: FreeSpace) {
  let sinceLook = 0;
  const require = (bytes: number): Promise<void> =>
    requireSpace("The file needs", [{ purpose: "archive", directory, bytes }], freeSpace);
  return {
    /** Throws `storage_full` where so many bytes have none. */
    require,
    /** The same before these are written, with a look at the disk now and then. */
    take: async (bytes: number): Promise<void> => {
      sinceLook += bytes;
      if (sinceLook < lookBytes) return;
      await require(sinceLook);
      sinceLook = 0;
    },
  };
}

/** The names of a TUF repository; they are looked up under the directory, and nothing else in it is read. */
function isSafePath(path: string): boolean {
  const components = path.split("/");
  const isSafe = (one: string) =>
    one !== "" && one !== "." && one !== ".." && Buffer.byteLength(one) <= componentBytes;
  return components.length <= mostComponents && components.every(isSafe) && !/[\p{Cc}\\\ufffd]/u.test(path);
}

function unusable(fault: string, cause?: unknown): StewardError {
  return new StewardError(
    "update_archive_unusable",
    `The file ${fault}. Nothing was changed. Send a tar of the publisher's repository, with its folders \`metadata\` and \`targets\`.`,
    { cause },
  );
}
