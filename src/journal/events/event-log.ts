import { eventTypes } from "../../contract/event-types.ts";
import { finding, line } from "../../contract/finding.ts";
import type { AuditEvent, EventList, Finding } from "../../contract/types.ts";
import type { Timers } from "../../host/ports.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import type { Reserve } from "../../store/files/reserve.ts";
import type { Log } from "../logs/log.ts";
import type { EventFacts, EventSink } from "./event.ts";
import { chainStart, sealed } from "./event-chain.ts";
import { createEventFiles, type EventFiles } from "./event-files.ts";
import { createEventHeads } from "./event-heads.ts";
import { type EventQuery, readPage } from "./event-pages.ts";
import { type FoundLog, findLog, type LogName, readSegment } from "./event-segments.ts";
import { createEventWriter, type EventWriter } from "./event-writer.ts";
import { auditMembers } from "./logged-events.ts";
import { createRefusalCounts } from "./refusal-counts.ts";

/** The agent's events: two logs in one sequence of numbers, each a chain of hashes, bounded, in files of the state. */
export interface EventLog extends EventSink {
  list(query: EventQuery): Promise<EventList>;
  /** Hands over each event as it gets its number; returns how to stop. */
  subscribe(listener: (event: AuditEvent) => void): () => void;
  /** The newest seq; 0: nothing has happened yet. */
  head(): number;
  /** The seq from which on nothing has been dropped, of either log. */
  firstComplete(): Promise<number>;
  /** What a person should know; null when all is well. */
  trouble(): Finding | null;
  /** Writes what was only counted or waits, and says the heads. */
  close(): Promise<void>;
}

export interface EventLogOptions {
  /** Made where it is absent. */
  directory: string;
  log: Log;
  now: () => Date;
  reserve: Reserve;
  timers: Timers;
  /** Bytes of all files. */
  totalBytes?: number;
  /** Nothing is written, and what happens is in the log alone: for a reader without the state's lock. */
  readsOnly?: boolean | undefined;
  /** Kinds and sources of refusals told apart. */
  refusalKinds?: number;
}

/** Ten thousand changes of a usual length, also right after the oldest segment was dropped. */
const defaultBytes = 6 * 1024 * 1024;

/** Refusals are what strangers can cause: they have a tenth of the space, and none of that of the changes. */
const refusalsShare = 0.1;

/** Characters of an event's details as JSON; the contract's own are far below. */
const maximumDetails = 4_096;

/** Opens the event log under the state's lock. Damage, or a disk that takes nothing, is told by `trouble`, not thrown. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { directory, log, timers, totalBytes = defaultBytes, readsOnly = false } = options;
  // A disk that takes nothing now may later; the first write tries again.
  if (!readsOnly) await makeDirectory(directory).catch(() => undefined);
  const find = (name: LogName) => findLog(directory, name, readsOnly ? null : log).catch(unreadable);
  const found = { changes: await find("changes"), refusals: await find("refusals") };
  const heads = createEventHeads({ sync: (name) => files[name].sync(), log, timers });
  const share = { changes: totalBytes * (1 - refusalsShare), refusals: totalBytes * refusalsShare };
  const filesOf = (name: LogName): EventFiles =>
    createEventFiles({
      directory,
      name,
      found: found[name],
      totalBytes: share[name],
      written: heads.written,
      log,
    });
  const files = { changes: filesOf("changes"), refusals: filesOf("refusals") };
  const writer = createEventWriter({ files, directory, timers, reserve: options.reserve });
  const sequence = createSequence(found, options.now);
  const damage = damageOf(found);
  if (damage !== null) log("error", "the event log is damaged", { detail: damage.detail });
  return joined({ ...options, files, writer, sequence, damage, closeHeads: heads.close });
}

/** A directory that is not open to us: nothing can be written there either, and health says so. */
function unreadable(): FoundLog {
  return { segments: [], head: undefined, damagedLines: 0 };
}

interface Parts extends EventLogOptions {
  files: Readonly<Record<LogName, EventFiles>>;
  writer: EventWriter;
  sequence: Sequence;
  damage: Finding | null;
  closeHeads: () => Promise<void>;
}

function joined(parts: Parts): EventLog {
  const { files, writer, sequence, log } = parts;
  const listeners = new Set<(event: AuditEvent) => void>();
  let lost = 0;
  const place = async (facts: EventFacts, code: string | null, count: number): Promise<void> => {
    log("notice", facts.type, { ...auditMembers(facts), ...(code !== null && { code, count }) });
    if (parts.readsOnly) return;
    if (!writer.hasRoom(eventTypes[facts.type].log)) {
      lost += 1;
      return;
    }
    const event = sequence.next(facts, code, count);
    const isWritten = writer.write(event);
    for (const listener of listeners) listener(event);
    await isWritten;
  };
  const refusals = createRefusalCounts((facts, code, count) => void place(facts, code, count), {
    timers: parts.timers,
    maximum: parts.refusalKinds,
  });
  return {
    record: (facts) => place(facts, null, 1),
    refuse: (facts, code) => refusals.add(facts, code),
    list: (query) =>
      readPage(
        {
          logs: [[...files.changes.segments], [...files.refusals.segments]],
          waiting: writer.waiting(),
          head: sequence.head(),
        },
        query,
      ),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    head: () => sequence.head(),
    firstComplete: async () => Math.max(await firstKept(files.changes), await firstKept(files.refusals)),
    trouble: () => troubleOf(writer, parts.damage, lost),
    close: async () => {
      refusals.close();
      if (parts.readsOnly) return;
      await writer.close();
      await parts.closeHeads();
      // What the disk refused has been said by the writer.
      for (const name of ["changes", "refusals"] as const) await files[name].close().catch(() => undefined);
    },
  };
}

interface Sequence {
  next(facts: EventFacts, code: string | null, count: number): AuditEvent;
  head(): number;
}

/** Gives events their numbers, and their places in the chains. */
function createSequence(found: Readonly<Record<LogName, FoundLog>>, now: () => Date): Sequence {
  const { changes, refusals } = found;
  const hashes = { changes: changes.head?.hash ?? chainStart, refusals: refusals.head?.hash ?? chainStart };
  const last = Math.max(changes.head?.seq ?? 0, refusals.head?.seq ?? 0);
  // The numbers of damaged lines are not reused, so that the gap stays visible.
  let seq = last + changes.damagedLines + refusals.damagedLines;
  return {
    head: () => seq,
    next: (facts, code, count) => {
      const { log } = eventTypes[facts.type];
      seq += 1;
      const event = sealed({
        seq,
        time: now().toISOString(),
        type: facts.type,
        log,
        outcome: code === null ? "success" : "refused",
        code,
        count,
        actor: facts.actor,
        subject: facts.subject,
        from: facts.from,
        request_id: facts.requestId,
        details:
          JSON.stringify(facts.details).length > maximumDetails ? { is_too_long: true } : facts.details,
        previous_hash: hashes[log],
      });
      hashes[log] = event.hash;
      return event;
    },
  };
}

/** The seq of a log's first event, where some before it were dropped. */
async function firstKept({ segments }: EventFiles): Promise<number> {
  const [oldest] = segments;
  const first = oldest && (await readSegment(oldest))[0];
  return first && first.previous_hash !== chainStart ? first.seq : 1;
}

function damageOf(found: Readonly<Record<LogName, FoundLog>>): Finding | null {
  const lines = found.changes.damagedLines + found.refusals.damagedLines;
  if (lines === 0) return null;
  const what = `${lines} ${lines === 1 ? "line" : "lines"} at the end of the event log`;
  const detail = `${what} cannot be verified. They were kept, and a new file begun. \`steward events --verify\` shows what can still be verified.`;
  return finding("events_damaged", { lines }, detail, line("steward events --verify"));
}

function troubleOf(writer: EventWriter, damage: Finding | null, lost: number): Finding | null {
  const failure = writer.trouble();
  if (failure) {
    const waiting = writer.waiting().length;
    const detail = `Events cannot be written: ${waiting} wait in memory, ${lost} found no room there. ${failure.message}`;
    return finding("events_not_written", { waiting, lost, error: failure.code }, detail);
  }
  if (lost === 0) return damage;
  const detail = `${lost} events were not kept while the disk took nothing; the journal has them.`;
  return finding("events_lost", { lost }, detail);
}
