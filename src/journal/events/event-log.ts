import { eventLogs } from "../../contract/event-records.ts";
import { eventTypes } from "../../contract/event-types.ts";
import type { AuditEvent, EventCounts, EventList, EventReach, Finding } from "../../contract/types.ts";
import type { Timers, Uptime } from "../../host/ports.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import type { Reserve } from "../../store/files/reserve.ts";
import { createActorLines } from "../logs/actor-lines.ts";
import type { Log } from "../logs/log.ts";
import type { EventFacts } from "./event.ts";
import { chainStart, sealed } from "./event-chain.ts";
import type { EventCountQuery } from "./event-counts.ts";
import { EventFiles } from "./event-files.ts";
import { createEventHeads } from "./event-heads.ts";
import { type EventQuery, type EventSource, readPage } from "./event-pages.ts";
import { createEventRepeats } from "./event-repeats.ts";
import { type FoundLog, findLog, type LogName, readSegment, type Segment } from "./event-segments.ts";
import { damageOf, shortnessOf, troubleOf } from "./event-troubles.ts";
import { EventWriter } from "./event-writer.ts";
import { type KeptEvents, openKeptEvents } from "./kept-events.ts";
import { auditMembers } from "./logged-events.ts";
import { createRecentEvents, type RecentEvents } from "./recent-events.ts";
import { createRefusalCounts } from "./refusal-counts.ts";

/**
 * The agent's events: three logs with one sequence of numbers, each a chain of hashes, bounded, in files of the state.
 */
export type EventLog = ReturnType<typeof joined>;

/** `isRepeat`: the event has happened again, and already has its number. */
type EventListener = (event: AuditEvent, isRepeat: boolean) => void;

export interface EventLogOptions {
  /** Made if it is absent. */
  directory: string;
  log: Log;
  now: () => Date;
  reserve: Reserve;
  timers: Timers;
  uptime: Uptime;
  totalBytes?: number;
  /** Nothing is written, and events are only in the log: for a reader without the state's lock. */
  readsOnly?: boolean | undefined;
  /** Kinds and sources of refusals that are counted apart. */
  refusalKinds?: number;
}

/** Room for ten thousand usual changes, also right after the oldest segment was dropped, and half as many kept. */
export const defaultBytes = 10 * 1024 * 1024;

/** Strangers can cause refusals, and the product its reports, so these have none of the space of the changes. */
export const shares = { changes: 0.54, kept: 0.27, refusals: 0.09, reports: 0.1 } as const;

/** Characters of an event's details as JSON; those of the contract are far below. */
const maximumDetails = 4_096;

/** Opens the event log under the state's lock. Damage or a full disk throws nothing: `trouble` reports them. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const { directory, log, timers, totalBytes = defaultBytes, readsOnly = false } = options;
  // A disk that takes nothing now may later; the first write tries again.
  if (!readsOnly) await makeDirectory(directory).catch(() => undefined);
  const find = (name: LogName) => findLog(directory, name, readsOnly ? null : log).catch(unreadable);
  const found = {
    changes: await find("changes"),
    refusals: await find("refusals"),
    reports: await find("reports"),
  };
  const keptBytes = totalBytes * shares.kept;
  const kept = await openKeptEvents(directory, found.changes, keptBytes, options.now, readsOnly);
  const recent = ofEachLog((name) => createRecentEvents(found[name].segments));
  const heads = createEventHeads((name) => files[name].sync(), log, timers);
  const filesOf = (name: LogName): EventFiles =>
    new EventFiles({
      directory,
      name,
      found: found[name],
      totalBytes: totalBytes * shares[name],
      written: (events) => {
        heads.written(events);
        recent[name].add(events);
      },
      ...(name === "changes" && { take: (oldest) => kept.take(oldest) }),
      log,
    });
  const files = ofEachLog(filesOf);
  const writer = new EventWriter(files, directory, timers, options.reserve);
  const sequence = createSequence(found, options.now);
  const damage = damageOf(found, kept);
  if (damage !== null) log("error", "the event log is damaged", { detail: damage.detail });
  return joined({ ...options, files, recent, kept, writer, sequence, damage, closeHeads: heads.close });
}

function ofEachLog<T>(make: (name: LogName) => T): Readonly<Record<LogName, T>> {
  return { changes: make("changes"), refusals: make("refusals"), reports: make("reports") };
}

/** The directory cannot be read: nothing can be written there either, and health says so. */
function unreadable(): FoundLog {
  return { segments: [], head: undefined, damagedLines: 0 };
}

interface Parts extends EventLogOptions {
  files: Readonly<Record<LogName, EventFiles>>;
  recent: Readonly<Record<LogName, RecentEvents>>;
  kept: KeptEvents;
  writer: EventWriter;
  sequence: ReturnType<typeof createSequence>;
  damage: Finding | null;
  closeHeads: () => Promise<void>;
}

function createEntry(parts: Parts) {
  const { writer, sequence, readsOnly = false } = parts;
  const lines = createActorLines(parts);
  const listeners = new Set<EventListener>();
  let lost = 0;
  let written = Promise.resolve();
  let told = sequence.head();
  const tell = (event: AuditEvent, isRepeat: boolean): void => {
    void written.then(() => {
      told = Math.max(told, event.seq);
      for (const listener of listeners) listener(event, isRepeat);
    });
  };
  return {
    /** Undefined if the event was not kept: there was no room, or nothing is written. */
    place: (facts: EventFacts, code: string | null, count: number): AuditEvent | undefined => {
      const counted = { ...(code !== null && { code }), ...((code !== null || count > 1) && { count }) };
      lines.write(facts.actor.name, "notice", facts.type, { ...auditMembers(facts), ...counted });
      if (readsOnly) return undefined;
      if (!writer.hasRoom(eventTypes[facts.type].log)) {
        lost += 1;
        return undefined;
      }
      const event = sequence.next(facts, code, count);
      written = writer.write(event);
      tell(event, false);
      return event;
    },
    /** Settles when all placed events are on the disk, or wait in memory because the disk takes nothing. */
    written: () => written,
    listeners,
    /** Tells the listeners of an event as soon as all placed events are written. */
    tell,
    /** The newest seq of which they have heard. */
    told: () => told,
    /** Events that found no room. */
    lost: () => lost,
    /** Writes the audit lines that were only counted. */
    close: lines.close,
  };
}

function joined(parts: Parts) {
  const { files, kept, writer, timers, refusalKinds: maximum } = parts;
  const entry = createEntry(parts);
  const { listeners } = entry;
  const refusals = createRefusalCounts(entry.place, { timers, maximum });
  const repeats = createEventRepeats((facts, count) => entry.place(facts, null, count), timers);
  const reach = (): EventReach => ({
    chain_from: files.changes.segments[0]?.firstSeq ?? 1,
    complete_since: kept.lost(),
  });
  return {
    record: (facts: EventFacts): Promise<void> => {
      const repeated = repeats.add(facts);
      if (repeated !== null) entry.tell(repeated, true);
      return entry.written();
    },
    refuse: (facts: EventFacts, code: string) => refusals.add(facts, code),
    list: async (query: EventQuery): Promise<EventList> => ({
      ...(await readPage(await sourceOf(parts), query)),
      reach: reach(),
    }),
    count: async (query: EventCountQuery): Promise<EventCounts> => {
      // Only the console's page of events asks for it.
      const { countEvents } = await import("./event-counts.ts");
      return countEvents(await sourceOf(parts), query);
    },
    /** Opens the files of the record as they are at one moment. See `openSnapshot`. */
    snapshot: async <T>(also: () => T) => {
      await entry.written();
      // Only a backup asks for it.
      const { openSnapshot } = await import("./event-snapshot.ts");
      return openSnapshot(() => eventLogs.flatMap((name) => segmentsOf(parts, name)), also);
    },
    reach,
    /**
     * Calls the listener for each event when it is written, or waits in memory because the disk takes nothing, and again
     * for each repeat. Returns a function that stops it. An event that is not written yet has no lasting number: if the
     * process is killed, the next event after its start has the same.
     */
    subscribe: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** The newest seq of which listeners have heard; 0: there is no event yet. */
    head: entry.told,
    /** The seq from which on no event of any log has been dropped. */
    firstComplete: async () =>
      Math.max(...(await Promise.all(eventLogs.map((name) => firstKept(files[name]))))),
    /** The trouble that a person should know of; null: none. */
    trouble: () => troubleOf(writer, parts.damage, entry.lost()) ?? shortnessOf(kept, parts.now()),
    /** Writes counted and waiting events, and logs the heads. */
    close: async (): Promise<void> => {
      repeats.close();
      refusals.close();
      entry.close();
      if (parts.readsOnly) return;
      await writer.close();
      await parts.closeHeads();
      // The writer has reported the disk's refusal.
      for (const name of eventLogs) await files[name].close().catch(() => undefined);
    },
  };
}

/** Kept changes come before the chain of the others. */
function segmentsOf({ kept, files }: Parts, name: LogName): readonly Segment[] {
  return [...(name === "changes" ? kept.segments() : []), ...files[name].segments];
}

/** Copies of the present segments, waiting events and events in memory: others write during a reading. */
async function sourceOf(parts: Parts): Promise<EventSource> {
  const { recent, writer, sequence } = parts;
  await Promise.all(eventLogs.map((name) => recent[name].load()));
  const logs = eventLogs.map((name) => ({
    segments: segmentsOf(parts, name).map((segment) => ({ ...segment })),
    recent: recent[name].read(),
  }));
  return { logs, waiting: writer.waiting(), head: sequence.head() };
}

function createSequence(found: Readonly<Record<LogName, FoundLog>>, now: () => Date) {
  const hashes: Record<LogName, string> = { ...ofEachLog((name) => found[name].head?.hash ?? chainStart) };
  const last = Math.max(...eventLogs.map((name) => found[name].head?.seq ?? 0));
  // The numbers of damaged lines are not reused, so that the gap stays visible.
  let seq = last + eventLogs.reduce((sum, name) => sum + found[name].damagedLines, 0);
  return {
    head: () => seq,
    next: (facts: EventFacts, code: string | null, count: number): AuditEvent => {
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

/** The seq of a log's first event, if some before it were dropped. */
async function firstKept({ segments }: EventFiles): Promise<number> {
  const [oldest] = segments;
  const first = oldest && (await readSegment(oldest))[0];
  return first && first.previous_hash !== chainStart ? first.seq : 1;
}
