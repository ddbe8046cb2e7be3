import { messageOf } from "../../contract/errors.ts";
import type { UpdateReason } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { kindOnTrial, withoutOvertaken } from "../../releases/journal-queries.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import {
  emptyJournal,
  type JournalEntry,
  type ReleaseJournal,
  readReleaseJournal,
  type Trial,
} from "../../releases/release-journal.ts";
import type { Followed } from "../../releases/update-record.ts";
import type { UpdateEvent, UpdaterOptions } from "./updater-options.ts";

type Host = Pick<UpdaterOptions, "installer" | "timers" | "notify" | "packaged" | "record">;

/** Seconds between polls while a release is on trial or requested. */
const pollSeconds = 1;

/** Seconds within which the disk knows the recorded events; after an earlier power cut they are recorded again. */
const soonSeconds = 1;

/** The installer's journal in memory, and the events that follow from it. */
export class ReleaseWatch {
  readonly #host: Host;
  readonly #onChange: () => void;
  #journal = emptyJournal;
  #unreadable: UpdateReason | null = null;
  #reading: Promise<void> | null = null;
  #isAgain = false;
  #holds = 0;
  #isStarted = false;
  #isStopped = false;
  #waiting = new Set<() => void>();
  #takeBack: (() => void) | null = null;
  #unwatch = (): void => undefined;

  constructor(host: Host, onChange: () => void) {
    this.#host = host;
    this.#onChange = onChange;
  }

  /** As last read; what could not be read leaves it as it was. */
  journal(): ReleaseJournal {
    return this.#journal;
  }

  /** The reason why the journal cannot be read; null: it can. */
  unreadable(): UpdateReason | null {
    return this.#unreadable;
  }

  /** One reading at a time; a call during one gets one that begins after it. */
  refresh(): Promise<void> {
    if (this.#reading !== null) this.#isAgain = true;
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  /** Polls each second until the result is called: a release was requested. */
  hold(): () => void {
    let isHeld = true;
    this.#holds += 1;
    this.#plan();
    return () => {
      if (isHeld) this.#holds -= 1;
      isHeld = false;
    };
  }

  /** Settles when nothing is on trial; with the signal's reason where that comes first. */
  untilQuiet(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const isOver = (): boolean => signal.aborted || kindOnTrial(this.#journal) === null;
      const settle = (): void => {
        if (!isOver()) return;
        this.#waiting.delete(settle);
        signal.removeEventListener("abort", settle);
        signal.aborted ? reject(signal.reason) : resolve();
      };
      this.#waiting.add(settle);
      signal.addEventListener("abort", settle);
      settle();
    });
  }

  /** Begins to watch for changes. */
  start(): void {
    if (this.#isStarted || this.#isStopped) return;
    this.#isStarted = true;
    this.#unwatch = this.#host.installer.watch(() => void this.refresh());
    this.#plan();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwatch();
    this.#takeBack?.();
    await this.#reading;
  }

  #plan(): void {
    if (this.#takeBack || this.#isStopped) return;
    const isWorthIt = this.#holds > 0 || (this.#isStarted && kindOnTrial(this.#journal) !== null);
    if (!isWorthIt) return;
    this.#takeBack = this.#host.timers.after(pollSeconds, () => {
      this.#takeBack = null;
      void this.refresh().then(() => this.#plan());
    });
  }

  async #readAll(): Promise<void> {
    do {
      this.#isAgain = false;
      await this.#read();
    } while (this.#isAgain && !this.#isStopped);
    this.#reading = null;
    this.#plan();
  }

  async #read(): Promise<void> {
    const before = JSON.stringify([this.#journal, this.#unreadable]);
    try {
      const bytes = await this.#host.installer.read();
      this.#journal = withoutOvertaken(readReleaseJournal(bytes), this.#host.packaged);
      this.#unreadable = null;
      if (bytes !== null) this.#tell();
    } catch (error) {
      this.#unreadable = reasonOfError({ code: "state_damaged", message: messageOf(error) });
    }
    if (JSON.stringify([this.#journal, this.#unreadable]) === before) return;
    for (const settle of [...this.#waiting]) settle();
    this.#onChange();
  }

  #tell(): void {
    const { record, notify } = this.#host;
    const { followed } = record.read();
    const present = followedOf(this.#journal);
    if (JSON.stringify(present) === JSON.stringify(followed)) return;
    for (const { type, details } of newsOf(this.#journal, followed)) notify(type, details);
    record.note((before) => ({ ...before, followed: present }), soonSeconds);
  }
}

/**
 * The events that were not recorded yet, in their order. A journal with a lower number is a new one: all of it is news.
 */
export function newsOf(journal: ReleaseJournal, followed: Followed): readonly UpdateEvent[] {
  const known = journal.sequence < followed.sequence ? 0 : followed.sequence;
  const entries = journal.history.filter(({ sequence }) => sequence > known);
  const trials = updateKinds.flatMap((kind) => {
    const { trial } = journal.slots[kind];
    // A rollback was requested, and is recorded when it is done.
    if (trial === null || trial.undo?.outcome === "rolled_back" || markOf(trial) === followed[kind])
      return [];
    const { id, name, version } = trial.release;
    return [{ type: "update.applying", details: { release_id: id, kind, name, version } } as const];
  });
  return [...entries.map(newsOfEntry), ...trials];
}

function newsOfEntry(entry: JournalEntry): UpdateEvent {
  const { release_id, kind, name, version, from_version, outcome, restored_healthy } = entry;
  const { code, detail, count, last_answer } = reasonOf(entry.detail, entry.cause);
  const facts = { release_id, kind, name, version, from_version, code, detail, count, last_answer };
  if (outcome === "good") return { type: "update.applied", details: facts };
  if (outcome === "refused") return { type: "update.refused", details: facts };
  return { type: "update.undone", details: { ...facts, outcome, restored_healthy } };
}

function followedOf({ sequence, slots }: ReleaseJournal): Followed {
  const of = (trial: Trial | null) => trial && markOf(trial);
  return { sequence, rules: of(slots.rules.trial), binary: of(slots.binary.trial) };
}

/** The same release may be tried twice. */
function markOf({ release, begun_at }: Trial): string {
  return `${release.id} ${begun_at}`;
}
