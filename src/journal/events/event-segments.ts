import { lstatSync } from "node:fs";
import { truncate, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEvent } from "../../contract/types.ts";
import { namesIn, readRegular, readRegularSync } from "../../store/files/regular-file.ts";
import type { Log } from "../logs/log.ts";
import { eventOfLine, parsedLine } from "./event-chain.ts";

/** One file of a log, with its events from `firstSeq` on, in order. */
export interface Segment {
  readonly path: string;
  readonly firstSeq: number;
  /** Bytes of whole lines; bytes after them were never acknowledged. */
  sizeBytes: number;
  /** Counts of the events before `nextSeq`, by a key, at a size of the file: files change only at their end. */
  readonly counts: Map<string, { sizeBytes: number; counts: Counts; nextSeq: number }>;
}

/** Numbers of events, of which each has its place; those of several segments are added up. */
export type Counts = readonly number[];

export type LogName = AuditEvent["log"];

export type FoundLog = Awaited<ReturnType<typeof findLog>>;

/** Bytes of the shortest event: hashes, time, names. A lost file may have used as many numbers as such lines fit in. */
const shortestLineBytes = 300;

/** Bytes of one file: more than one log may have. */
const mostSegmentBytes = 8 * 1024 * 1024;

/** The name of the file that begins with this event. The number is padded so that names sort as numbers do. */
export function segmentName(name: LogName, firstSeq: number): string {
  return `${name}-${String(firstSeq).padStart(16, "0")}.jsonl`;
}

/** Finds a log's segments and head, and cuts off a torn line. Without `log` it writes nothing: another may be writing. */
export async function findLog(directory: string, name: LogName, log: Log | null) {
  const segments = findSegments(directory, name);
  let damagedLines = 0;
  for (const segment of [...segments].reverse()) {
    const lines = await wholeLines(segment, log);
    if (!lines) {
      damagedLines += Math.max(1, Math.ceil(segment.sizeBytes / shortestLineBytes));
      continue;
    }
    for (const line of lines.reverse()) {
      const head = eventOfLine(line);
      if (head) return { segments, head, damagedLines };
      damagedLines += 1;
    }
    if (segment.sizeBytes > 0) continue;
    // A process began it and was killed before its first line was whole.
    segments.splice(segments.indexOf(segment), 1);
    if (log) await unlink(segment.path).catch(() => undefined);
  }
  return {
    /** Oldest first. */
    segments,
    /** The newest whole event. */
    head: undefined,
    /** Lines after it that are not what was written: damage, which no crash causes. */
    damagedLines,
  };
}

/**
 * The events of a segment; their hashes are not checked. Lines that are no event are left out, and so are both of two
 * that are out of order: neither is where it was written, and verification must find them missing.
 */
export async function readSegment(segment: Segment): Promise<AuditEvent[]> {
  const text = await textOf(segment);
  const events = text.split("\n").flatMap((line) => parsedLine(line) ?? []);
  return events.filter(({ seq }, index) => {
    const before = events[index - 1]?.seq ?? 0;
    const behind = events[index + 1]?.seq ?? Number.POSITIVE_INFINITY;
    return before < seq && seq < behind;
  });
}

/** The last event of a segment that is what was written. */
export async function lastOf(segment: Segment): Promise<AuditEvent | undefined> {
  const lines = (await textOf(segment)).split("\n").reverse();
  for (const line of lines) {
    const event = eventOfLine(line);
    if (event) return event;
  }
  return undefined;
}

/** The text of a segment; empty if it was dropped or cannot be read: then the chain shows that it is missing. */
export async function textOf({ path, sizeBytes }: Segment): Promise<string> {
  const bytes = await readRegular(path, mostSegmentBytes).catch(() => Buffer.alloc(0));
  return bytes.subarray(0, sizeBytes).toString("utf8");
}

function findSegments(directory: string, name: LogName): Segment[] {
  const pattern = new RegExp(`^${name}-(\\d{16})\\.jsonl$`);
  return namesIn(directory)
    .sort()
    .flatMap((file) => {
      const [, digits] = pattern.exec(file) ?? [];
      if (digits === undefined) return [];
      const path = join(directory, file);
      return [{ path, firstSeq: Number(digits), sizeBytes: sizeOf(path), counts: new Map() }];
    });
}

/** Bytes; 0 for a file that is not ours, or the space of all others would be given up for it. */
function sizeOf(path: string): number {
  const stats = lstatSync(path);
  return stats.isFile() && stats.size <= mostSegmentBytes ? stats.size : 0;
}

/** Undefined if the disk does not give the file, or it is not ours. */
async function wholeLines(segment: Segment, log: Log | null): Promise<string[] | undefined> {
  const bytes = bytesOf(segment);
  if (!bytes) return undefined;
  const end = bytes.lastIndexOf("\n") + 1;
  if (end < bytes.length) {
    segment.sizeBytes = end;
    if (log) await cutOff(segment, bytes.length - end, log);
  }
  return bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
}

function bytesOf({ path }: Segment): Buffer | undefined {
  try {
    return readRegularSync(path, mostSegmentBytes);
  } catch {
    return undefined;
  }
}

async function cutOff({ path, sizeBytes }: Segment, tornBytes: number, log: Log): Promise<void> {
  log("warning", "a torn line at the end of the event log was cut off: it was never acknowledged", {
    file: path,
    bytes: tornBytes,
  });
  // If it cannot be cut, it is written over, and not read meanwhile.
  await truncate(path, sizeBytes).catch(() => undefined);
}
