import { createHash } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemErrorCode } from "../../contract/errors.ts";
import { type EventRecord, eventRecords, recordOf } from "../../contract/event-records.ts";
import { writeDurably } from "../../store/files/durable-file.ts";
import { readRegularSync } from "../../store/files/regular-file.ts";
import { chainStart, eventOfLine, parsedLine } from "./event-chain.ts";
import { type FoundLog, readSegment, type Segment, textOf } from "./event-segments.ts";

/** Lost changes of a record. */
export interface Forgotten {
  readonly record: EventRecord;
  /** The time of the newest of them. */
  readonly time: string;
}

interface KeptEventsOptions {
  directory: string;
  /** The log whose segments are dropped. A segment that was taken over before a crash is removed from it. */
  changes: FoundLog;
  totalBytes: number;
  now: () => Date;
  /** Nothing is written. */
  readsOnly: boolean;
}

/** The first line of the file; the changes follow. */
interface Heading {
  /** The last event that was taken over. */
  readonly through: number;
  readonly hash: string;
  readonly forgotten: readonly Forgotten[];
  /** SHA-256 of the other members as JSON, in this order, and of all that follows; in hexadecimal digits. */
  readonly digest: string;
}

/** A change and its line, without the line feed. */
interface KeptLine {
  readonly line: string;
  readonly seq: number;
  readonly hash: string;
  readonly record: EventRecord;
  /** Tells actors apart. */
  readonly actor: string;
  readonly time: string;
  /** True for a change of the segment that is being taken over. */
  readonly isNew: boolean;
}

const fileName = "kept-changes.jsonl";

/** The least part of a full record that an actor who adds to it keeps. */
const leastShare = 1 / 8;

/** Lines parsed in one turn of the event loop. */
const linesInATurn = 500;

const records = Object.keys(eventRecords) as EventRecord[];

export async function openKeptEvents(options: KeptEventsOptions): Promise<KeptEvents> {
  const path = join(options.directory, fileName);
  const found = readKept(path, options.totalBytes);
  const isDamaged = found === "damaged";
  const { heading, text } = found === "damaged" || found === null ? { heading: nothing, text: "" } : found;
  await finishTaking(options, heading);
  const lostAt = isDamaged ? options.now().toISOString() : await droppedUnseen(options.changes, heading);
  const lost = lostAt === null ? [] : records.map((record) => ({ record, time: lostAt }));
  return new KeptEvents(path, options.totalBytes, {
    ...{ heading: { ...heading, forgotten: newestOf([...heading.forgotten, ...lost]) }, isDamaged },
    segment: found === null || isDamaged ? null : segmentOf(path, text),
  });
}

/** The heading of an absent file. */
const nothing: Heading = { through: 0, hash: chainStart, forgotten: [], digest: "" };

/**
 * The changes of dropped segments, in one file. Each record has a share of the space. When a record is full, the actor
 * who added the most loses the oldest of their own changes, so that no actor pushes out the changes of others.
 */
export class KeptEvents {
  /**
   * The file is not what was written. It is no longer read, and kept under another name before a new one is written.
   */
  readonly isDamaged: boolean;
  readonly #path: string;
  readonly #totalBytes: number;
  #heading: Heading;
  #segment: Segment | null;
  #isBadInPlace: boolean;

  constructor(
    path: string,
    totalBytes: number,
    { heading, segment, isDamaged }: { heading: Heading; segment: Segment | null; isDamaged: boolean },
  ) {
    this.#path = path;
    this.#totalBytes = totalBytes;
    this.#heading = heading;
    this.#segment = segment;
    this.isDamaged = isDamaged;
    this.#isBadInPlace = isDamaged;
  }

  /** The file, which precedes the segments of the log; empty if there is none. */
  segments(): readonly Segment[] {
    return this.#segment === null ? [] : [this.#segment];
  }

  /** The changes that are no longer kept anywhere; at most one entry for a record. */
  forgotten(): readonly Forgotten[] {
    return this.#heading.forgotten;
  }

  /** Takes over the changes of a segment that is to be dropped. Throws if the disk refuses; nothing is changed then. */
  async take(dropped: Segment): Promise<void> {
    const lines = await this.#linesWith(dropped);
    const kept = new Set(lines);
    const gone = records.flatMap((record) => overflow(lines, record, this.#totalBytes / records.length));
    for (const line of gone) kept.delete(line);
    const last = lines.at(-1);
    const text = [...kept].map(({ line }) => `${line}\n`).join("");
    const known = {
      through: last?.isNew ? last.seq : this.#heading.through,
      hash: last?.isNew ? last.hash : this.#heading.hash,
      forgotten: newestOf([...this.#heading.forgotten, ...gone]),
    };
    const heading: Heading = { ...known, digest: digestOf(known, text) };
    if (this.#isBadInPlace) await rename(this.#path, `${this.#path}.bad`);
    this.#isBadInPlace = false;
    await writeDurably(this.#path, `${JSON.stringify(heading)}\n${text}`);
    this.#heading = heading;
    this.#segment = segmentOf(this.#path, text);
  }

  /** In the order of seq. */
  async #linesWith(dropped: Segment): Promise<KeptLine[]> {
    const former = this.#segment === null ? [] : await linesOf(this.#segment, false);
    // The file may be in place although the disk would not confirm it; then it already has these changes.
    const through = Math.max(this.#heading.through, former.at(-1)?.seq ?? 0);
    const taken = (await linesOf(dropped, true)).filter(({ seq }) => seq > through);
    return [...former, ...taken];
  }
}

/** The heading, and the text after it; null: the file is absent. */
function readKept(path: string, totalBytes: number): { heading: Heading; text: string } | "damaged" | null {
  try {
    // The heading is extra, and a release may give the file less space than the one before.
    const text = readRegularSync(path, 4 * totalBytes).toString("utf8");
    const end = text.indexOf("\n") + 1;
    const heading = JSON.parse(text.slice(0, end)) as Heading;
    const rest = text.slice(end);
    return digestOf(heading, rest) === heading.digest ? { heading, text: rest } : "damaged";
  } catch (error) {
    // The writer reports a file in the place of the directory.
    return ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "") ? null : "damaged";
  }
}

/** Removes a segment that was taken over before a crash, which came before its removal. */
async function finishTaking(
  { changes: { segments }, readsOnly }: KeptEventsOptions,
  { through }: Heading,
): Promise<void> {
  while (segments.length > 1 && (segments[0]?.firstSeq ?? 0) <= through) {
    const taken = segments.shift();
    // If the disk takes nothing, the next start removes it.
    if (taken && !readsOnly) await rm(taken.path, { recursive: true }).catch(() => undefined);
  }
}

/** The time of the oldest change in the log, if another release dropped one before it without taking it over. */
async function droppedUnseen({ segments }: FoundLog, { hash }: Heading): Promise<string | null> {
  const [oldest] = segments;
  const first = oldest && (await readSegment(oldest))[0];
  return first === undefined || first.previous_hash === hash ? null : first.time;
}

async function linesOf(segment: Segment, isNew: boolean): Promise<KeptLine[]> {
  const found: KeptLine[] = [];
  for (const [index, line] of (await textOf(segment)).split("\n").entries()) {
    if (index % linesInATurn === linesInATurn - 1) await nextTurn();
    // The file's digest covers those that are not new.
    const event = isNew ? eventOfLine(line) : parsedLine(line);
    if (!event) continue;
    const { seq, hash, type, actor, time } = event;
    found.push({ line, seq, hash, record: recordOf(type), actor: actor.id ?? actor.kind, time, isNew });
  }
  return found;
}

/**
 * The changes of a record that find no room: first those of the actors who added the most now, down to their least
 * share, then those of the actors who have the most. The oldest of each actor go first.
 */
function overflow(all: readonly KeptLine[], record: EventRecord, room: number): KeptLine[] {
  const actors = new Map<string, { lines: KeptLine[]; bytes: number; brought: number }>();
  let over = -room;
  for (const one of all) {
    if (one.record !== record) continue;
    const actor = actors.get(one.actor) ?? { lines: [], bytes: 0, brought: 0 };
    actors.set(one.actor, actor);
    actor.lines.push(one);
    actor.bytes += one.line.length;
    if (one.isNew) actor.brought += one.line.length;
    over += one.line.length;
  }
  const gone: KeptLine[] = [];
  const takeFrom = (actor: { lines: KeptLine[]; bytes: number }): void => {
    const oldest = actor.lines.shift();
    if (!oldest) return;
    gone.push(oldest);
    actor.bytes -= oldest.line.length;
    over -= oldest.line.length;
  };
  const bringers = [...actors.values()].toSorted((one, other) => other.brought - one.brought);
  for (const actor of bringers.filter(({ brought }) => brought > 0))
    while (over > 0 && actor.bytes > room * leastShare) takeFrom(actor);
  while (over > 0)
    takeFrom([...actors.values()].reduce((most, one) => (one.bytes > most.bytes ? one : most)));
  return gone;
}

/** The newest of each record. */
function newestOf(all: readonly Forgotten[]): readonly Forgotten[] {
  const newest = new Map<EventRecord, Forgotten>();
  for (const { record, time } of all)
    if (time >= (newest.get(record)?.time ?? "")) newest.set(record, { record, time });
  return [...newest.values()];
}

function segmentOf(path: string, text: string): Segment {
  const first = parsedLine(text.slice(0, text.indexOf("\n")));
  // Read to the end of the file: after the next taking over another whole file is in its place.
  return { path, firstSeq: first?.seq ?? 1, sizeBytes: Number.POSITIVE_INFINITY, counts: new Map() };
}

function digestOf({ through, hash, forgotten }: Omit<Heading, "digest">, text: string): string {
  const heading = JSON.stringify({ through, hash, forgotten });
  return createHash("sha256").update(heading).update(text).digest("hex");
}
