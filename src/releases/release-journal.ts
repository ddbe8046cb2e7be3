import { StewardError } from "../contract/errors.ts";
import type { HistoryEntry, SetAsideRelease } from "../contract/types.ts";
import { validatorOf } from "../store/documents/document-kind.ts";
import type { Cause, OutcomeCause } from "./outcome-reasons.ts";
import type { UpdateKind } from "./release.ts";
import { releaseJournalName, releaseJournalSchema, type trialPhases } from "./release-journal-schema.ts";

/**
 * The installer's record: the installed releases, the trial, and the blocklist. It is in
 * /var/lib/steward-releases/journal.json, owned by root, readable by all, with one crash-proof write for each step.
 */
export interface ReleaseJournal {
  /** The number of the history's newest entry; 0: there is none. */
  readonly sequence: number;
  readonly slots: Readonly<Record<UpdateKind, Slot>>;
  /** Newest last. */
  readonly history: readonly JournalEntry[];
}

/** Bytes of the journal: more than the limits of its lists allow. */
export const journalBytes = 2 * 1024 * 1024;

export interface Slot {
  /** Releases that are healthy and on the disk, oldest first: the last is current, the one before it previous. */
  readonly good: readonly GoodRelease[];
  /** The step in progress; null: none. */
  readonly trial: Trial | null;
  /** The blocklist, oldest first: not to be applied again without a request. */
  readonly setAside: readonly SetAside[];
  /** Ids of releases that the agent has gone back from, oldest first; absent: none. */
  readonly agentRolledBack?: readonly string[];
}

export interface GoodRelease extends KnownRelease {
  /** The time of the proof; absent: an older release of Steward has not recorded it. */
  readonly committed?: Committed;
}

export interface Committed {
  /** By the wall clock; only for display. */
  readonly at: string;
  readonly boot_id: string;
  /** Seconds of monotonic time in that boot. */
  readonly uptime: number;
}

export interface KnownRelease {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

export type TrialPhase = (typeof trialPhases)[number];

export interface Trial {
  readonly release: KnownRelease;
  readonly phase: TrialPhase;
  /** By the wall clock; only for display. */
  readonly begun_at: string;
  /** Seconds of monotonic time in `boot_id` at which it began. */
  readonly begun_uptime: number;
  /** The boot in which it was last worked on. */
  readonly boot_id: string;
  /** Boots in which it has been tried, the first included. */
  readonly boots: number;
  /** Unclean exits in all boots. */
  readonly crashes: number;
  /** Seconds of monotonic time in `boot_id`; null: the watch has not begun in it. */
  readonly deadline_uptime: number | null;
  readonly health: {
    /** In a row. */
    readonly successes: number;
    readonly needed: number;
    /** The last answer, in words. */
    readonly last: string | null;
    readonly at: string | null;
  };
  /** The reason for undoing it; null: it is not undone. */
  readonly undo: Undo | null;
}

/** `rolled_back`: on request; the release was good, and is held from then on. */
export interface Undo {
  readonly outcome: "failed" | "deferred" | "aborted" | "rolled_back";
  /** In a sentence. */
  readonly reason: string;
  /** Absent: an older release wrote it. */
  readonly cause?: OutcomeCause;
  readonly log: readonly string[];
}

export interface SetAside extends Omit<SetAsideRelease, "kind" | "reason"> {
  /** In a sentence. */
  readonly reason: string;
  /** Absent: an older release wrote it. */
  readonly cause?: Cause;
}

/** The end of an attempt to change the installed release. */
export interface JournalEntry extends Omit<HistoryEntry, "reason" | "log"> {
  /** The reason, in a sentence. */
  readonly detail: string;
  /** Absent: an older release wrote it. */
  readonly cause?: Cause;
  readonly log: readonly string[];
}

const emptySlot: Slot = { good: [], trial: null, setAside: [] };

/** Nothing was ever applied here. */
export const emptyJournal: ReleaseJournal = {
  sequence: 0,
  slots: { rules: emptySlot, binary: emptySlot },
  history: [],
};

/** Made once, at the first use. */
let validate: ReturnType<typeof validatorOf> | undefined;

/** The journal in these bytes; null (no file) is the empty one. Throws `state_damaged`. */
export function readReleaseJournal(bytes: Uint8Array | null): ReleaseJournal {
  if (bytes === null) return emptyJournal;
  const damaged = (why: string, cause?: unknown): StewardError =>
    new StewardError("state_damaged", `The journal of releases cannot be read: ${why}.`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw damaged("it is not JSON", cause);
  }
  // Members that a newer release has added to format 1 are kept.
  validate ??= validatorOf({ name: releaseJournalName, schema: releaseJournalSchema });
  const [wrong] = validate(value);
  if (wrong) throw damaged(`${wrong.pointer} ${wrong.detail}`);
  const { format: _, ...journal } = value as ReleaseJournal & { format: number };
  return journal;
}

export function releaseJournalText(journal: ReleaseJournal): string {
  return `${JSON.stringify({ format: 1, ...journal }, null, 1)}\n`;
}
