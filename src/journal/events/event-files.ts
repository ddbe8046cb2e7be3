import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AuditEvent } from "../../contract/types.ts";
import { makeDirectory, syncDirectory } from "../../store/files/durable-file.ts";
import type { Log } from "../logs/log.ts";
import { canonicalText } from "./event-chain.ts";
import { type FoundLog, type LogName, lastOf, type Segment, segmentName } from "./event-segments.ts";

/** The files of one log: grown at the end, dropped whole at the beginning. */
export interface EventFiles {
  /** Oldest first. */
  readonly segments: readonly Segment[];
  /** Bytes that may wait in memory while the disk takes nothing: one segment's worth. */
  readonly waitingBytes: number;
  /** Takes off the front of `waiting` what it has written; throws where the disk refuses, with the rest still there. */
  append(waiting: WaitingEvent[]): Promise<void>;
  /** Until this settles, what was appended may be lost in a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** An event and the line that it will be. */
export interface WaitingEvent {
  readonly event: AuditEvent;
  readonly line: Buffer;
}

export interface EventFilesOptions {
  directory: string;
  name: LogName;
  found: FoundLog;
  /** Space of all segments together. */
  totalBytes: number;
  /** Told what was written, which is not synced yet. */
  written: (events: readonly AuditEvent[]) => void;
  /** Takes over what is to stay of a segment before it is dropped; where it throws, nothing is. */
  take?: (oldest: Segment) => Promise<void>;
  log: Log;
}

/** A log has twelve segments, so that dropping the oldest takes a twelfth of the past. */
const segmentsPerLog = 12;

/** Files of one log, however little is in each: after damage a new one is begun. */
const maximumSegments = 24;

export function waitingEvent(event: AuditEvent): WaitingEvent {
  return { event, line: Buffer.from(`${canonicalText(event)}\n`) };
}

export function createEventFiles(options: EventFilesOptions): EventFiles {
  return new LogFiles(options);
}

class LogFiles implements EventFiles {
  readonly segments: Segment[];
  readonly waitingBytes: number;
  readonly #options: EventFilesOptions;
  /** Damage is kept as it is: nothing is written behind it. */
  #mustBegin: boolean;
  #handle: FileHandle | undefined;
  /** Writes so far, and how many of them a power cut cannot take back. */
  #writes = 0;
  #syncedWrites = 0;

  constructor(options: EventFilesOptions) {
    this.#options = options;
    this.segments = options.found.segments;
    this.waitingBytes = Math.ceil(options.totalBytes / segmentsPerLog);
    this.#mustBegin = options.found.damagedLines > 0;
  }

  async append(waiting: WaitingEvent[]): Promise<void> {
    for (let first = waiting[0]; first; first = waiting[0]) {
      const { segment, handle } = await this.#openFor(first.event.seq);
      const lines = fitting(waiting, this.waitingBytes - segment.sizeBytes);
      const bytes = Buffer.concat(lines);
      this.#writes += 1;
      await writeAt(handle, bytes, segment.sizeBytes);
      segment.sizeBytes += bytes.length;
      this.#options.written(waiting.splice(0, lines.length).map(({ event }) => event));
    }
  }

  async sync(): Promise<void> {
    // Others write while this waits; what they write is not in it.
    const writes = this.#writes;
    if (this.#syncedWrites >= writes) return;
    await this.#handle?.datasync();
    this.#syncedWrites = Math.max(this.#syncedWrites, writes);
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    try {
      await this.sync();
    } finally {
      this.#handle = undefined;
      await handle?.close();
    }
  }

  /** The segment that the next event goes to, open for writing. */
  async #openFor(seq: number): Promise<{ segment: Segment; handle: FileHandle }> {
    const last = this.segments.at(-1);
    if (!last || this.#mustBegin || last.sizeBytes >= this.waitingBytes) return this.#begin(seq);
    // Not "a": a line that a full disk cut short is written over.
    this.#handle ??= await open(last.path, "r+");
    return { segment: last, handle: this.#handle };
  }

  async #begin(firstSeq: number): Promise<{ segment: Segment; handle: FileHandle }> {
    await this.close();
    await this.#dropOldest();
    const path = join(this.#options.directory, segmentName(this.#options.name, firstSeq));
    await makeDirectory(dirname(path));
    // Never over a file that is there.
    const handle = await open(path, "wx", 0o600);
    const segment = { path, firstSeq, sizeBytes: 0, counts: new Map() };
    this.segments.push(segment);
    this.#handle = handle;
    this.#mustBegin = false;
    await syncDirectory(dirname(path));
    return { segment, handle };
  }

  /** Makes room for one segment. The newest stays: the chain goes on from it. */
  async #dropOldest(): Promise<void> {
    const { totalBytes, name, take, log } = this.#options;
    const used = () => this.segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    while (
      this.segments.length > 1 &&
      (this.segments.length >= maximumSegments || used() + this.waitingBytes > totalBytes)
    ) {
      const [oldest] = this.segments;
      if (!oldest) return;
      await take?.(oldest);
      const last = await lastOf(oldest);
      // A directory, where another program has put one.
      await rm(oldest.path, { recursive: true });
      this.segments.shift();
      // With this in the journal the first hash of the remaining events can be checked.
      const facts = { log: name, first_seq: oldest.firstSeq, last_seq: last?.seq, hash: last?.hash };
      log("notice", "event log segment dropped", { audit: true, ...facts });
    }
  }
}

/** As many lines as there is room for; one at least, or a long line would wait for ever. */
function fitting(waiting: readonly WaitingEvent[], room: number): Buffer[] {
  const lines: Buffer[] = [];
  let left = room;
  for (const { line } of waiting) {
    if (lines.length > 0 && line.length > left) break;
    lines.push(line);
    left -= line.length;
  }
  return lines;
}

/** A write may take less than all of it. */
async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const rest = bytes.length - written;
    written += (await handle.write(bytes, written, rest, position + written)).bytesWritten;
  }
}
