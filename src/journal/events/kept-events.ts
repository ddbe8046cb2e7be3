import { createHash } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemErrorCode } from "../../contract/errors.ts";
import { writeDurably } from "../../store/files/durable-file.ts";
import { readRegularSync } from "../../store/files/regular-file.ts";
import { chainStart, eventOfLine, parsedLine } from "./event-chain.ts";
import { type FoundLog, readSegment, type Segment, textOf } from "./event-segments.ts";

/** The first line of the file; the changes follow. */
interface Heading {
  /** The last event that was taken over. */
  readonly through: number;
  readonly hash: string;
  /** The time of the newest change that is kept nowhere any more; null: none is gone. */
  readonly lost: string | null;
  /** SHA-256 of the other members as JSON, in this order, and of all that follows; in hexadecimal digits. */
  readonly digest: string;
}

/** A change and its line, without the line feed. */
interface KeptLine {
  readonly line: string;
  readonly seq: number;
  readonly hash: string;
  /** Tells actors apart. */
  readonly actor: string;
  readonly time: string;
  /** True for a change of the segment that is being taken over. */
  readonly isNew: boolean;
}

const fileName = "kept-changes.jsonl";

/** The least part of the space that an actor who adds to a full file keeps. */
const leastShare = 1 / 8;

const linesInATurn = 500;

/** `changes`: the log that drops segments; one taken over before a crash is removed from it. `readsOnly`: writes nothing. */
export async function openKeptEvents(
  directory: string,
  changes: FoundLog,
  totalBytes: number,
  now: () => Date,
  readsOnly: boolean,
): Promise<KeptEvents> {
  const path = join(directory, fileName);
  const found = readKept(path, totalBytes);
  if (found === "damaged") {
    const heading = { ...nothing, lost: now().toISOString() };
    return new KeptEvents(path, totalBytes, heading, null, true);
  }
  const { heading, text } = found ?? { heading: nothing, text: "" };
  await finishTaking(changes, heading, readsOnly);
  const lost = latest(heading.lost, await droppedUnseen(changes, heading));
  const segment = found === null ? null : segmentOf(path, text);
  return new KeptEvents(path, totalBytes, { ...heading, lost }, segment, false);
}

/** The heading of an absent file. */
const nothing: Heading = { through: 0, hash: chainStart, lost: null, digest: "" };

/** Changes of dropped segments, in one file. When full, the actor who added the most loses the oldest of their own. */
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
    heading: Heading,
    segment: Segment | null,
    isDamaged: boolean,
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

  /** The time of the newest change that is kept nowhere any more; null: none is gone. */
  lost(): string | null {
    return this.#heading.lost;
  }

  /** Takes over the changes of a segment that is to be dropped. Throws if the disk refuses; nothing is changed then. */
  async take(dropped: Segment): Promise<void> {
    const lines = await this.#linesWith(dropped);
    const kept = new Set(lines);
    const gone = overflow(lines, this.#totalBytes);
    for (const line of gone) kept.delete(line);
    const last = lines.at(-1);
    const text = [...kept].map(({ line }) => `${line}\n`).join("");
    const known = {
      through: last?.isNew ? last.seq : this.#heading.through,
      hash: last?.isNew ? last.hash : this.#heading.hash,
      lost: gone.reduce((newest, { time }) => latest(newest, time), this.#heading.lost),
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
async function finishTaking({ segments }: FoundLog, { through }: Heading, readsOnly: boolean): Promise<void> {
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
    const { seq, hash, actor, time } = event;
    found.push({ line, seq, hash, actor: actor.id ?? actor.kind, time, isNew });
  }
  return found;
}

/** Changes without room: of the actors who added most now, down to their share, then of those with most; oldest first. */
function overflow(all: readonly KeptLine[], room: number): KeptLine[] {
  const actors = new Map<string, { lines: KeptLine[]; bytes: number; brought: number }>();
  let over = -room;
  for (const one of all) {
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

/** The later of two times; null: never. */
function latest(one: string | null, other: string | null): string | null {
  return (other ?? "") > (one ?? "") ? other : one;
}

function segmentOf(path: string, text: string): Segment {
  const first = parsedLine(text.slice(0, text.indexOf("\n")));
  // Read to the end of the file: after the next taking over another whole file is in its place.
  return { path, firstSeq: first?.seq ?? 1, sizeBytes: Number.POSITIVE_INFINITY, counts: new Map() };
}

function digestOf({ through, hash, lost }: Omit<Heading, "digest">, text: string): string {
  const heading = JSON.stringify({ through, hash, lost });
  return createHash("sha256").update(heading).update(text).digest("hex");
}
