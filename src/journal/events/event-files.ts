import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AuditEvent } from "../../contract/types.ts";
import { makeDirectory, syncDirectory } from "../../store/files/durable-file.ts";
import type { Log } from "../logs/log.ts";
import { canonicalText } from "./event-chain.ts";
import { type FoundLog, type LogName, lastOf, type Segment, segmentName } from "./event-segments.ts";

export interface WaitingEvent {
  readonly event: AuditEvent;
  readonly line: Buffer;
}

interface EventFilesOptions {
  directory: string;
  name: LogName;
  found: FoundLog;
  /** Space of all segments together. */
  totalBytes: number;
  /** Called with the written events, which are not synced yet. */
  written: (events: readonly AuditEvent[]) => void;
  /**
   * Takes over the part of a segment that is to stay, before the segment is dropped; if it throws, nothing is dropped.
   */
  take?: (oldest: Segment) => Promise<void>;
  log: Log;
}

/** A log has twelve segments, so that dropping the oldest takes a twelfth of the past. */
const segmentsPerLog = 12;

/** Files of one log, however short each is: after damage a new one is begun. */
const maximumSegments = 24;

export function waitingEvent(event: AuditEvent): WaitingEvent {
  return { event, line: Buffer.from(`${canonicalText(event)}\n`) };
}

/** The files of one log. They grow at the end, and are dropped whole at the beginning. */
export class EventFiles {
  /** Oldest first. */
  readonly segments: Segment[];
  /** Bytes that may wait in memory while the disk takes nothing: as many as one segment has. */
  readonly waitingBytes: number;
  readonly #options: EventFilesOptions;
  /** A damaged file stays as it is: nothing is written after the damage. */
  #mustBegin: boolean;
  #handle: FileHandle | undefined;
  /** Writes so far, and how many of them survive a power cut. */
  #writes = 0;
  #syncedWrites = 0;

  constructor(options: EventFilesOptions) {
    this.#options = options;
    this.segments = options.found.segments;
    this.waitingBytes = Math.ceil(options.totalBytes / segmentsPerLog);
    this.#mustBegin = options.found.damagedLines > 0;
  }

  /** Removes written events from the front of `waiting`; throws if the disk refuses, with the rest still there. */
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

  /** Until this settles, a power cut may lose appended events. */
  async sync(): Promise<void> {
    // Others may write while this waits; their writes are not included.
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

  /** The segment for the next event, open for writing. */
  async #openFor(seq: number): Promise<{ segment: Segment; handle: FileHandle }> {
    const last = this.segments.at(-1);
    if (!last || this.#mustBegin || last.sizeBytes >= this.waitingBytes) return this.#begin(seq);
    // Not "a": it writes over a line that a full disk cut short.
    this.#handle ??= await open(last.path, "r+");
    return { segment: last, handle: this.#handle };
  }

  async #begin(firstSeq: number): Promise<{ segment: Segment; handle: FileHandle }> {
    await this.close();
    await this.#dropOldest();
    const path = join(this.#options.directory, segmentName(this.#options.name, firstSeq));
    await makeDirectory(dirname(path));
    // Never over an existing file.
    const handle = await open(path, "wx", 0o600);
    const segment = { path, firstSeq, sizeBytes: 0, counts: new Map() };
    this.segments.push(segment);
    this.#handle = handle;
    this.#mustBegin = false;
    await syncDirectory(dirname(path));
    return { segment, handle };
  }

  /** Makes room for one segment. The newest stays, because the chain continues from it. */
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
      // It may be a directory that another program has made.
      await rm(oldest.path, { recursive: true });
      this.segments.shift();
      // With this line in the journal the first hash of the remaining events can be checked.
      const facts = { log: name, first_seq: oldest.firstSeq, last_seq: last?.seq, hash: last?.hash };
      log("notice", "event log segment dropped", { audit: true, ...facts });
    }
  }
}

/** As many lines as there is room for, and at least one, or a long line would wait for ever. */
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

/** A write may take only a part. */
async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const rest = bytes.length - written;
    written += (await handle.write(bytes, written, rest, position + written)).bytesWritten;
  }
}
