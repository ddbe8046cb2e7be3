import { chmodSync, mkdirSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, type Gunzip } from "node:zlib";
import { type Extract, extract, type Header } from "tar-stream";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import { entryPath, linkTarget } from "../../releases/payload/entry-path.ts";
import { type PayloadCaps, payloadCaps } from "../../releases/payload/payload-caps.ts";
import { unsafePayload } from "../../releases/payload/unsafe-payload.ts";
import { storageError } from "../../store/files/durable-file.ts";
import { NotRegular, openRegular } from "../../store/files/regular-file.ts";
import { removeTree } from "../files/remove-tree.ts";
import { type ArchiveMeter, blockBytes, createArchiveMeter } from "./archive-meter.ts";
import { createTreeWriter, type TreeWriter } from "./tree-writer.ts";

/**
 * Bytes read, decompressed and written at a time. Freed pieces pile up in V8: 15 MiB for a payload of 256 MiB. Pieces four
 * times larger take twice as much memory and are not faster.
 */
const pieceBytes = 65_536;

export interface UnpackOptions {
  readonly files: Pick<ReleaseFiles, "freeBytes" | "sync">;
  readonly caps?: PayloadCaps;
}

/**
 * Unpacks a payload (a gzip'd tar) into a new directory and syncs it: files 0644 or 0755, directories 0755, links that
 * stay inside, and nothing else. A payload that could reach beyond the directory or fill the disk is refused, although it
 * is signed, and leaves nothing behind. Throws `update_payload_unsafe`, `storage_full`, `storage_unwritable`.
 */
export async function unpack(
  payload: string,
  directory: string,
  { files, caps = payloadCaps }: UnpackOptions,
): Promise<void> {
  const file = await openPayload(payload);
  try {
    const roomBytes = (await files.freeBytes(dirname(directory))) - caps.reserveBytes;
    makeNew(directory);
    try {
      await stream(file, createTreeWriter({ top: directory, caps, roomBytes }), caps);
      await files.sync(directory);
    } catch (error) {
      removeTree(directory);
      throw error;
    }
  } finally {
    await file.close();
  }
}

/** From the compressed file to the tree in one pass, with one piece of each stage in memory. */
async function stream(file: FileHandle, tree: TreeWriter, caps: PayloadCaps): Promise<void> {
  const { size } = await file.stat();
  const gunzip = createGunzip({ chunkSize: pieceBytes });
  const meter = createArchiveMeter(caps, () => gunzip.bytesWritten);
  const archive = extract();
  const reading = pipeline(piecesOf(file), gunzip, (pieces: Gunzip) => metered(pieces, meter), archive);
  const results = await Promise.allSettled([place(archive, { tree, caps, meter }), reading]);
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  // A broken rule is the reason for which the other stages stopped.
  const cause = failures.find((failure) => failure instanceof StewardError) ?? failures[0];
  if (cause !== undefined) throw explained(cause);
  // zlib ignores bytes after the compressed data.
  if (gunzip.bytesWritten !== size) throw unsafePayload("it continues after the end of its compressed data");
}

/**
 * Reuses one buffer: it is larger than the high-water mark of the next stage, which therefore has consumed it when this
 * continues. A short piece is the last one. Synchronous, as the writing: asking another thread costs more than a read.
 */
function* piecesOf(file: FileHandle): Generator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  for (;;) {
    let length = 0;
    while (length < piece.length) {
      const bytesRead = readSync(file.fd, piece, length, piece.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > 0) yield piece.subarray(0, length);
    if (length < piece.length) return;
  }
}

/** In whole blocks, as the meter expects them, copying at most one block. */
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
  if (rest.length > 0) throw unsafePayload("its archive is truncated");
  meter.end();
}

async function place(
  archive: Extract,
  { tree, caps, meter }: { tree: TreeWriter; caps: PayloadCaps; meter: ArchiveMeter },
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
      if (hasTop) throw unsafePayload("appears twice", { name });
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

/** The offset of the end of this header in the archive, which the types of the reader leave out. */
function headerEnd(header: Header): number {
  if ("byteOffset" in header && typeof header.byteOffset === "number") return header.byteOffset;
  throw new StewardError("internal_error", "The reader of archives does not report its offset.");
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
  // POSIX allows extension keys; only GNU's sparse files change the content of a file by them.
  if (Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse")))
    throw unsafePayload("is a sparse file", { name });
  if (!Number.isSafeInteger(mode) || (mode & 0o7000) !== 0)
    throw unsafePayload("would run with other rights (setuid, setgid or sticky)", { name });
  if (!Number.isSafeInteger(size) || size < 0 || (type !== "file" && size !== 0))
    throw unsafePayload("has an impossible size", { name });
}

async function openPayload(path: string): Promise<FileHandle> {
  const { file } = await openRegular(path).catch(
    rethrown((cause) => unreadable(cause instanceof NotRegular ? `it ${cause.reason}` : cause)),
  );
  return file;
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

/** The failure of a stage as an error for people. */
function explained(cause: unknown): StewardError {
  if (cause instanceof StewardError) return cause;
  const code = systemErrorCode(cause);
  if (code?.startsWith("Z_")) return unsafePayload(`its compressed data are damaged (${code})`, { cause });
  // From a system call; errors of the reader of archives have no code.
  if (code !== undefined) return unreadable(cause);
  return unsafePayload("its archive is damaged or truncated", { cause });
}

/** The symbolic links of a tree: their paths below its top, with slashes, and the components of their targets. */
type TreeLinks = ReadonlyMap<string, readonly string[]>;

/**
 * Throws `update_payload_unsafe` if a link leads out of the tree, or in a circle. Links are followed as the kernel does,
 * through other links too, because `a/up/..` is not `a` if `up` is a link. A missing path counts as a directory.
 */
export function refuseLinksOut(links: TreeLinks, hops: number): void {
  for (const [path, target] of links) {
    const why = misleading(links, path, target, hops);
    if (why !== null) throw unsafePayload(why, { name: path });
  }
}

function misleading(links: TreeLinks, path: string, target: readonly string[], hops: number): string | null {
  const at = path.split("/").slice(0, -1);
  // The components still to be walked, the next one last.
  const ahead = [...target].reverse();
  let followed = 0;
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (next === "" || next === ".") continue;
    if (next === "..") {
      if (at.pop() === undefined) return "is a link that leads out of the release";
      continue;
    }
    at.push(next);
    const further = links.get(at.join("/"));
    if (further === undefined) continue;
    followed += 1;
    if (followed > hops) return "is a link that leads in a circle";
    at.pop();
    ahead.push(...[...further].reverse());
  }
  return null;
}
