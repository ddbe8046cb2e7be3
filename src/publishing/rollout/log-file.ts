import { constants, type FileHandle, open, stat } from "node:fs/promises";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { unreadable } from "../files.ts";
import { LineSplitter } from "./line-splitter.ts";
import { bytesOf, isGzip, type RotatedLog, rotatedBeside } from "./rotated-logs.ts";

type OnLine = (line: string) => void;

/** Bytes that are read at once. */
const pieceBytes = 65_536;

/** Bytes before the end of what was read, by which another content of the same file is noticed. */
const tailBytes = 256;

/** Seconds for which the former file is read on: not all processes of a server open the new one at the same moment. */
const lingerSeconds = 60;

/** One open file of the log, and how far it was read. */
interface Opened {
  readonly handle: FileHandle;
  lines: LineSplitter;
  /** It is compressed: a server writes nothing more to it. */
  readonly isPacked: boolean;
  at: number;
  tail: Uint8Array;
  /** Milliseconds since 1970 of its last change, as far as it was read. */
  modified: number;
}

export interface LogFileOptions {
  /** The rotated files beside it are read first. */
  readonly withRotated?: boolean;
  /** Monotonic time. */
  readonly elapsedSeconds: () => number;
}

/**
 * A log that another program writes, over rotations by renaming and by truncation, with the files that came and went
 * between two looks as far as they are still beside it.
 */
export class LogFile {
  readonly #path: string;
  readonly #withRotated: boolean;
  readonly #elapsedSeconds: () => number;
  readonly #buffer = Buffer.alloc(pieceBytes);
  #present: Opened | null = null;
  #former: { readonly opened: Opened; readonly since: number } | null = null;

  constructor(path: string, { withRotated = false, elapsedSeconds }: LogFileOptions) {
    this.#path = path;
    this.#withRotated = withRotated;
    this.#elapsedSeconds = elapsedSeconds;
  }

  /**
   * Hands over the whole lines that were written since the last call, without their ends; one that is too long as its
   * beginning. Throws `not_found`, `forbidden`, `validation_failed` where it cannot be opened at first.
   */
  async read(onLine: OnLine): Promise<void> {
    const present = this.#present ?? (await this.#begin(onLine));
    await this.#readFormer(onLine);
    if (await this.#isRewritten(present)) {
      // Copied and truncated in place: the rest of what was here is in the copy, and what follows is another log.
      await this.#readCopy(present, onLine);
      Object.assign(present, { at: 0, tail: new Uint8Array(), lines: new LineSplitter() });
    }
    await this.#readOn(present, onLine);
    const next = await this.#successor(present.handle);
    if (next === null) return;
    // Its server may have written to the old file until now.
    await this.#readOn(present, onLine);
    await this.#readBetween(present, next, onLine);
    await this.#closeFormer(onLine);
    this.#former = { opened: present, since: this.#elapsedSeconds() };
    this.#present = next;
    await this.#readOn(next, onLine);
  }

  async close(): Promise<void> {
    await this.#closeFormer(() => undefined);
    await this.#present?.handle.close();
    this.#present = null;
  }

  /** Opens the file before the rotated ones are listed, so that a rotation in between takes none of them away. */
  async #begin(onLine: OnLine): Promise<Opened> {
    const present = await this.#open();
    this.#present = present;
    if (!this.#withRotated) return present;
    const { ino } = await present.handle.stat();
    for (const one of await rotatedBeside(this.#path)) if (one.ino !== ino) await readWhole(one, onLine);
    return present;
  }

  async #open(): Promise<Opened> {
    // A pipe without a writer would hold the process, and an interruption too.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const handle = await open(this.#path, flags).catch(rethrown((error) => unreadable(this.#path, error)));
    if ((await handle.stat()).isFile()) {
      const isPacked = await isGzip(handle);
      return { handle, isPacked, lines: new LineSplitter(), at: 0, tail: new Uint8Array(), modified: 0 };
    }
    await handle.close();
    throw new StewardError(
      "validation_failed",
      `${this.#path} is not a regular file, so it cannot be watched.`,
    );
  }

  /** The file that has the name now, and is written to; null: the server still writes to this one. */
  async #successor(handle: FileHandle): Promise<Opened | null> {
    const own = await handle.stat();
    try {
      const present = await stat(this.#path);
      const isOther = present.ino !== own.ino || present.dev !== own.dev;
      return present.isFile() && present.size > 0 && isOther ? await this.#open() : null;
    } catch (error) {
      const isGone = error instanceof StewardError && error.code === "not_found";
      // Renamed, and its successor is not there yet.
      if (isGone || systemErrorCode(error) === "ENOENT") return null;
      throw error instanceof StewardError ? error : unreadable(this.#path, error);
    }
  }

  /** The bytes that were read last are not there any more. */
  async #isRewritten({ handle, at, tail, isPacked }: Opened): Promise<boolean> {
    if (isPacked || tail.length === 0) return false;
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(tail.length),
      0,
      tail.length,
      at - tail.length,
    );
    return bytesRead < tail.length || Buffer.compare(buffer, tail) !== 0;
  }

  async #readOn(opened: Opened, onLine: OnLine): Promise<void> {
    if (opened.isPacked) {
      if (opened.at === 0) await readWhole({ path: this.#path }, onLine);
      opened.at = 1;
      return;
    }
    const { mtimeMs } = await opened.handle.stat();
    for (;;) {
      const { bytesRead } = await opened.handle.read(this.#buffer, 0, pieceBytes, opened.at);
      if (bytesRead === 0) return;
      opened.at += bytesRead;
      opened.modified = mtimeMs;
      const piece = this.#buffer.subarray(0, bytesRead);
      opened.tail = Buffer.concat([opened.tail, piece.subarray(-tailBytes)]).subarray(-tailBytes);
      opened.lines.push(piece, onLine);
    }
  }

  async #readFormer(onLine: OnLine): Promise<void> {
    if (this.#former === null) return;
    const { opened, since } = this.#former;
    await this.#readOn(opened, onLine);
    if (this.#elapsedSeconds() - since > lingerSeconds) await this.#closeFormer(onLine);
  }

  async #closeFormer(onLine: OnLine): Promise<void> {
    const former = this.#former?.opened;
    this.#former = null;
    former?.lines.end(onLine);
    await former?.handle.close();
  }

  /** The files that had the name after this one, and before the next one. */
  async #readBetween({ handle }: Opened, next: Opened, onLine: OnLine): Promise<void> {
    const own = await handle.stat();
    const { ino: nextInode } = await next.handle.stat();
    const all = (await rotatedBeside(this.#path)).filter(({ ino }) => ino !== nextInode);
    const place = all.findIndex(({ ino }) => ino === own.ino);
    // Compressed or moved away meanwhile: those with later lines.
    const later =
      place === -1 ? all.filter(({ modified }) => modified >= own.mtimeMs + 1) : all.slice(place + 1);
    for (const one of later) await readWhole(one, onLine);
  }

  /** The lines behind the place that was reached: the rest of the copy that a rotation has made, and later copies. */
  async #readCopy({ at, tail, lines, modified }: Opened, onLine: OnLine): Promise<void> {
    const former = await this.#former?.opened.handle.stat();
    // A copy is as new as what it is of. The former file may be changed late, and may have the same bytes at that place.
    const all = (await rotatedBeside(this.#path)).filter(
      (one) => one.modified >= modified && one.ino !== former?.ino,
    );
    for (const [index, { path }] of [...all.entries()].reverse()) {
      if (!(await readBehind(path, { at, tail, lines }, onLine))) continue;
      for (const later of all.slice(index + 1)) await readWhole(later, onLine);
      return;
    }
  }
}

async function readWhole({ path }: Pick<RotatedLog, "path">, onLine: OnLine): Promise<void> {
  const lines = new LineSplitter();
  try {
    for await (const bytes of bytesOf(path)) lines.push(bytes, onLine);
  } finally {
    lines.end(onLine);
  }
}

/** False: the file does not have these bytes before that place, so it is no copy; nothing was handed over. */
async function readBehind(
  path: string,
  { at, tail, lines }: Pick<Opened, "at" | "tail" | "lines">,
  onLine: OnLine,
): Promise<boolean> {
  let read = 0;
  let before: Uint8Array = new Uint8Array();
  for await (const bytes of bytesOf(path)) {
    const missing = Math.max(0, at - read);
    read += bytes.length;
    before = Buffer.concat([before, bytes.subarray(0, missing)]).subarray(-tail.length);
    if (read < at) continue;
    if (missing > 0 && Buffer.compare(before, tail) !== 0) return false;
    lines.push(bytes.subarray(missing), onLine);
  }
  if (read < at) return false;
  lines.end(onLine);
  return true;
}
