import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { createGunzip, type Gunzip } from "node:zlib";
import { messageOf, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { packedForm } from "../../store/archives/packed-form.ts";
import { pour } from "../../store/archives/pour.ts";
import { type TarEntry, tarEntries } from "../../store/archives/tar-entries.ts";
import { isZero } from "../../store/archives/tar-header.ts";
import { entryPath, linkTarget } from "./entry-path.ts";
import { linkFaults } from "./link-ends.ts";
import { type PayloadCaps, payloadCaps } from "./payload-caps.ts";
import {
  createReleaseTree,
  type NewFile,
  type ReleaseTree,
  type TreeStore,
  tooLarge,
} from "./release-tree.ts";
import { UnsafePayload, unsafePayload } from "./unsafe-payload.ts";

/** Bytes at a time. Freed pieces pile up, 22 MiB for 256 MiB; twice as large take 14 MiB more and are not faster. */
const pieceBytes = 32_768;

/** One piece fills the stream, so that `drain` says when it is used up. */
const gunzipOptions = { chunkSize: pieceBytes, highWaterMark: pieceBytes };

const leaveOut = "Leave it out (tar --exclude=NAME), and let the product make it when it starts.";
const withRights =
  "Remove the bit (chmod u-s,g-s), and give the program its rights where it is started, such as by AmbientCapabilities= of its unit.";
const asHoles =
  "Pack zeros as holes (fallocate --dig-holes FILE, then tar -S), or let the product make such a file when it starts.";

export interface PayloadReading {
  readonly caps?: PayloadCaps;
  /** Gets the fault of an entry, which is left out then. Throws it if not given. */
  readonly onFault?: (fault: UnsafePayload) => void;
  /** Gets each entry that has a path, before its content. */
  readonly onEntry?: (path: string, entry: TarEntry) => void;
}

/**
 * Reads a payload (a gzip'd tar) into a store: files 0644 or 0755, directories, and links that stay inside. All that judges
 * an archive is here, for installer and publisher alike. Throws `update_payload_unsafe` for one that could reach beyond the
 * store, fill a disk, or be another thing than its maker means, and what the store throws.
 */
export async function readPayload(
  file: FileHandle,
  store: TreeStore,
  { caps = payloadCaps, onFault = thrown, onEntry = () => undefined }: PayloadReading = {},
): Promise<void> {
  requireGzip(file);
  const gunzip = createGunzip(gunzipOptions);
  const tree = createReleaseTree(store, caps);
  const links = new Map<string, readonly string[]>();
  const take = (entry: TarEntry): NewFile | null => {
    try {
      const path = pathOf(entry, caps);
      if (path.length === 0) return null;
      onEntry(path.join("/"), entry);
      return put(entry, path, tree, caps, links);
    } catch (error) {
      if (!(error instanceof UnsafePayload) || error.entry === undefined) throw error;
      onFault(error);
      return null;
    }
  };
  let open: NewFile | null = null;
  const close = (): void => {
    open?.close();
    open = null;
  };
  const feeding = pour(piecesOf(file), gunzip).catch((error: Error) => gunzip.destroy(error));
  try {
    for await (const next of tarEntries(bounded(gunzip, caps), unsafePayload))
      if ("bytes" in next) open?.write(next.bytes, next.at);
      else {
        close();
        open = take(next);
      }
  } catch (error) {
    throw explained(error);
  } finally {
    close();
    // Padding after the compressed data would wait for ever to be taken.
    gunzip.destroy();
    await feeding;
  }
  for (const fault of linkFaults(links, caps.linkHops)) onFault(fault);
  // Some programs pad a file. Other bytes would be there for another reader than this one.
  for await (const piece of piecesOf(file, gunzip.bytesWritten))
    if (!isZero(piece)) throw unsafePayload("it continues after the end of its compressed data");
}

function thrown(fault: UnsafePayload): never {
  throw fault;
}

function requireGzip(file: FileHandle): void {
  const first = Buffer.alloc(4);
  readSync(file.fd, first, 0, first.length, 0);
  const form = packedForm(first);
  if (form === "gzip") return;
  const why = form === null ? "it is not compressed by gzip" : `it is packed by ${form}, not by gzip`;
  throw unsafePayload(why);
}

/** Reuses one buffer, which the next stage has used up by then. Synchronous: asking another thread costs more. */
async function* piecesOf(file: FileHandle, from = 0): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(pieceBytes);
  for (let at = from; ; ) {
    const length = readSync(file.fd, buffer, 0, buffer.length, at);
    if (length === 0) return;
    at += length;
    yield buffer.subarray(0, length);
  }
}

/** The archive as it is decompressed, within its bounds. */
async function* bounded(gunzip: Gunzip, caps: PayloadCaps): AsyncGenerator<Buffer> {
  let passed = 0;
  for await (const piece of gunzip as AsyncIterable<Buffer>) {
    const form = passed === 0 ? packedForm(piece) : null;
    if (form !== null) throw unsafePayload(`it is packed twice: there is a file of ${form} in its gzip`);
    passed += piece.length;
    if (passed > caps.bytes) throw tooLarge(caps);
    if (passed > caps.expansionFreeBytes && passed > caps.expansion * gunzip.bytesWritten)
      throw unsafePayload(`it grows to more than ${caps.expansion} times its size`, { wayOut: asHoles });
    yield piece;
  }
}

/** The failure of a stage as an error for people. */
function explained(cause: unknown): StewardError {
  if (cause instanceof StewardError) return cause;
  const code = systemErrorCode(cause);
  if (code?.startsWith("Z_")) return unsafePayload(`its compressed data are damaged (${code})`, { cause });
  return unreadable(cause);
}

export function unreadable(cause: unknown): StewardError {
  const why = systemErrorCode(cause) ?? messageOf(cause);
  return new StewardError("storage_unwritable", `The payload cannot be read (${why}).`, { cause });
}

/** The file that takes the content; null: there is none. `links`: only these are kept in memory until the end. */
function put(
  entry: TarEntry,
  path: readonly string[],
  tree: ReleaseTree,
  caps: PayloadCaps,
  links: Map<string, readonly string[]>,
): NewFile | null {
  const { type, name, linkname, mode, sizeBytes } = entry;
  if (type === "0" || type === "S") return tree.file(path, (mode & 0o111) !== 0, sizeBytes);
  if (type === "5") tree.directory(path);
  else if (type === "1") tree.hardLink(path, entryPath(linkname, caps, name));
  else {
    const target = linkTarget(linkname, name, caps);
    tree.link(path, linkname);
    links.set(path.join("/"), target);
  }
  return null;
}

/** The kinds of entries (tar(5)) that are no part of a release. */
const refusedTypes: Readonly<Record<string, string>> = {
  3: "is a device",
  4: "is a device",
  6: "is a fifo",
  D: "is part of an incremental backup (tar -g)",
  M: "continues a file of another volume (tar -M)",
};

/** None for the release's own directory, and for a label (`tar -V`), which is no file. */
function pathOf({ type, name, mode, attributes }: TarEntry, caps: PayloadCaps): readonly string[] {
  if (type === "V") return [];
  const kind = attributes.has("GNU.dumpdir") ? "D" : type;
  if (!/^[0125S]$/.test(kind)) {
    const why = refusedTypes[kind] ?? "is neither a file, a directory nor a link";
    throw unsafePayload(why, { name, wayOut: "DM".includes(kind) ? undefined : leaveOut });
  }
  // A directory loses them: there they only change who owns what is written later.
  if (!Number.isSafeInteger(mode) || (/^[0S]$/.test(type) && (mode & 0o6000) !== 0))
    throw unsafePayload("would run with other rights (setuid or setgid)", { name, wayOut: withRights });
  const path = entryPath(name, caps);
  if (path.length === 0 && type !== "5") throw unsafePayload("has no name", { name });
  return path;
}
