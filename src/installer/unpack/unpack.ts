import { chmodSync, constants, mkdirSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, type Gunzip } from "node:zlib";
import { type Extract, extract, type Header } from "tar-stream";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import { storageError } from "../../store/files/durable-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { type ArchiveMeter, blockBytes, createArchiveMeter } from "./archive-meter.ts";
import { entryPath, linkTarget } from "./entry-path.ts";
import { refuseLinksOut } from "./link-ends.ts";
import { createTreeWriter, type TreeWriter } from "./tree-writer.ts";
import { type UnpackCaps, unpackCaps } from "./unpack-caps.ts";
import { unsafePayload } from "./unsafe-payload.ts";

/**
 * Bytes read, decompressed and written at a time. V8 lets the dead ones pile up: for 256 MiB in pieces of this size 15 MiB,
 * in four times larger ones twice as many, and none are faster.
 */
const pieceBytes = 65_536;

export interface UnpackOptions {
  readonly files: Pick<ReleaseFiles, "freeBytes" | "sync">;
  readonly caps?: UnpackCaps;
}

/**
 * Unpacks a payload (a gzip'd tar) into a new directory, and has it on the disk: files 0644 or 0755, directories 0755,
 * links that stay inside, and nothing else. Whoever signed it, what could reach beyond the directory or fill the disk is
 * refused, and then nothing is left. Throws `update_payload_unsafe`, `storage_full`, `storage_unwritable`.
 */
export async function unpack(
  payload: string,
  directory: string,
  { files, caps = unpackCaps }: UnpackOptions,
): Promise<void> {
  const file = await openPayload(payload);
  try {
    const roomBytes = (await files.freeBytes(dirname(directory))) - caps.reserveBytes;
    makeNew(directory);
    try {
      await pour(file, { tree: createTreeWriter({ top: directory, caps, roomBytes }), caps });
      await files.sync(directory);
    } catch (error) {
      removeTree(directory);
      throw error;
    }
  } finally {
    await file.close();
  }
}

interface Pouring {
  readonly tree: TreeWriter;
  readonly caps: UnpackCaps;
}

/** From the compressed file to the tree, in one pass, a piece of each stage in memory. */
async function pour(file: FileHandle, { tree, caps }: Pouring): Promise<void> {
  const { size } = await file.stat();
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  const meter = createArchiveMeter(caps, () => gunzip.bytesWritten);
  const archive = extract();
  const reading = pipeline(piecesOf(file), gunzip, (pieces: Gunzip) => metered(pieces, meter), archive);
  const results = await Promise.allSettled([place(archive, { tree, caps, meter }), reading]);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  // Where a rule was broken, that is what the other stages stopped for.
  const cause = failures.find((failure) => failure instanceof StewardError) ?? failures[0];
  if (cause !== undefined) throw explained(cause);
  // zlib passes over what it finds behind the compressed data.
  if (gunzip.bytesWritten !== size) throw unsafePayload("it goes on behind the end of its compressed data");
}

/**
 * In one buffer, over and over: it is larger than what the next stage holds back for, so that this goes on when all of
 * it has been taken. A short piece is the last one.
 */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  for (;;) {
    let length = 0;
    while (length < piece.length) {
      const { bytesRead } = await file.read(piece, length, piece.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > 0) yield piece.subarray(0, length);
    if (length < piece.length) return;
  }
}

/** In whole blocks, as the meter wants them, without copying more than one. */
async function* metered(pieces: AsyncIterable<Buffer>, meter: ArchiveMeter): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const first = rest.length === 0 ? 0 : blockBytes - rest.length;
    if (piece.length < first) {
      rest = Buffer.concat([rest, piece]);
      continue;
    }
    const end = piece.length - ((piece.length - first) % blockBytes);
    const blocks = [Buffer.concat([rest, piece.subarray(0, first)]), piece.subarray(first, end)];
    for (const whole of blocks.filter((one) => one.length > 0)) {
      meter.pass(whole);
      yield whole;
    }
    rest = Buffer.from(piece.subarray(end));
  }
  if (rest.length > 0) throw unsafePayload("its archive is cut off");
  meter.end();
}

async function place(
  archive: Extract,
  { tree, caps, meter }: Pouring & { meter: ArchiveMeter },
): Promise<void> {
  const links = new Map<string, readonly string[]>();
  let hasTop = false;
  for await (const entry of archive) {
    const { header } = entry;
    meter.entry(headerEnd(header), header.size);
    const { name, type } = header;
    refuseKind(header);
    const path = entryPath(name, type === "directory", caps);
    if (path.length === 0) {
      if (hasTop) throw unsafePayload("is there already", { name });
      hasTop = true;
    } else if (type === "directory") {
      tree.directory(path);
    } else if (type === "symlink") {
      links.set(path.join("/"), linkTarget(header.linkname ?? "", name, caps));
      if (links.size > caps.links) throw unsafePayload(`it has more than ${caps.links} links`);
      tree.link(path, header.linkname);
    } else {
      await fill(entry, tree, path);
    }
  }
  refuseLinksOut(links, caps.linkHops);
}

/** Which the reader's types leave out; the bytes of the archive until behind this header. */
function headerEnd(header: Header): number {
  if ("byteOffset" in header && typeof header.byteOffset === "number") return header.byteOffset;
  throw new StewardError("internal_error", "The reader of archives does not say where it is.");
}

async function fill(
  entry: AsyncIterable<unknown> & { header: Header },
  tree: TreeWriter,
  path: readonly string[],
): Promise<void> {
  const { size, mode } = entry.header;
  const file = tree.file(path, (mode & 0o111) !== 0, size);
  try {
    if (size === 0) return;
    for await (const piece of entry) if (piece instanceof Uint8Array) file.write(piece);
  } finally {
    file.close();
  }
}

const refusedTypes: Readonly<Record<string, string>> = {
  link: "is a hard link",
  "character-device": "is a device",
  "block-device": "is a device",
  fifo: "is a fifo",
};

function refuseKind({ name, type, mode, size, pax }: Header): void {
  if (type !== "file" && type !== "directory" && type !== "symlink")
    throw unsafePayload(refusedTypes[type] ?? "is neither a file, a directory nor a link", { name });
  // POSIX leaves room for such extensions; only GNU's sparse files use it for what a file's content is.
  if (Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse")))
    throw unsafePayload("is a sparse file", { name });
  if (!Number.isSafeInteger(mode) || (mode & 0o7000) !== 0)
    throw unsafePayload("would run with other rights (setuid, setgid or sticky)", { name });
  if (!Number.isSafeInteger(size) || size < 0 || (type !== "file" && size !== 0))
    throw unsafePayload("has a size that it cannot have", { name });
}

async function openPayload(path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((cause: unknown) => {
    throw unreadable(cause);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw unreadable("it is no regular file");
}

function makeNew(directory: string): void {
  try {
    mkdirSync(directory, 0o755);
    chmodSync(directory, 0o755);
  } catch (cause) {
    throw storageError(directory, cause);
  }
}

function unreadable(cause: unknown): StewardError {
  const why = systemErrorCode(cause) ?? String(cause);
  return new StewardError("storage_unwritable", `The payload cannot be read (${why}).`, { cause });
}

/** What a stage failed with, in words. */
function explained(cause: unknown): StewardError {
  if (cause instanceof StewardError) return cause;
  const code = systemErrorCode(cause);
  if (code?.startsWith("Z_")) return unsafePayload(`its compressed data are damaged (${code})`, { cause });
  // Of a system call; what the reader of archives throws has no code.
  if (code !== undefined) return unreadable(cause);
  return unsafePayload("it is no archive that can be read, or is cut off", { cause });
}
