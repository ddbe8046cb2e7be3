import type { BootTime } from "../../releases/agent-rollback.ts";
import { formerOf } from "../../releases/journal-queries.ts";
import { type Cause, outcomeCause, outcomeSentence } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type {
  JournalEntry,
  KnownRelease,
  ReleaseJournal,
  SetAside,
  Slot,
  Trial,
  Undo,
} from "../../releases/release-journal.ts";
import { journalBounds } from "../../releases/release-journal-schema.ts";

/** The end of a trial, by the clocks at that moment. */
export interface Moment extends BootTime {
  readonly at: Date;
}

/** Hours for which a release is not applied after reboots have ended its trial. */
const deferredHours = 24;

/** Refusals that the history keeps: a compromised agent can cause any number of them. */
const mostRefusals = 8;

/** Good releases that are kept, the current one included. */
export const keptGood = 3;

/** The journal after a trial that has proved healthy. */
export function committed(journal: ReleaseJournal, kind: UpdateKind, now: Moment): ReleaseJournal {
  const slot = journal.slots[kind];
  const { trial } = slot;
  if (trial === null) return journal;
  const { release } = trial;
  const proven = {
    ...release,
    committed: { at: now.at.toISOString(), boot_id: now.bootId, uptime: now.uptime },
  };
  const good = [...slot.good.filter(({ id }) => id !== release.id), proven].slice(-keptGood);
  const setAside = slot.setAside.filter(({ id }) => id !== release.id);
  const isProven = trial.health.successes >= trial.health.needed;
  const cause = outcomeCause(isProven ? "healthy" : "confirmed_by_root", { last_answer: trial.health.last });
  const entry = {
    ...entryOf(slot, trial, now),
    kind,
    outcome: "good",
    detail: cut(outcomeSentence(cause), 1_000),
    cause,
    restored_healthy: null,
    log: [],
  } as const;
  return withEntry(withSlot(journal, kind, { good, setAside, trial: null }), entry);
}

export function undone(
  journal: ReleaseJournal,
  kind: UpdateKind,
  { isHealthy, ...now }: Moment & { isHealthy: boolean },
): ReleaseJournal {
  const slot = journal.slots[kind];
  const { trial } = slot;
  if (!trial?.undo) return journal;
  const { release, undo } = trial;
  const good = slot.good.filter(({ id }) => id !== release.id);
  const others = slot.setAside.filter(({ id }) => id !== release.id);
  // A package in its place says nothing about a release.
  const added = undo.cause?.code === "overtaken" ? [] : [setAsideOf(release, undo, now)];
  const setAside = [...others, ...added].slice(-journalBounds.setAside);
  const entry = {
    ...entryOf(slot, trial, now),
    kind,
    outcome: undo.outcome,
    detail: undo.reason,
    ...(undo.cause && { cause: undo.cause }),
    restored_healthy: isHealthy,
    log: undo.log,
  };
  return withEntry(withSlot(journal, kind, { good, setAside, trial: null }), entry);
}

/** The journal after a request that changed nothing; the same refusal again takes the place of the one before. */
export function refused(
  journal: ReleaseJournal,
  what: {
    kind: UpdateKind | null;
    release: KnownRelease | { id: string } | null;
    detail: string;
    cause: Cause;
    from: string | null;
  },
  { at }: Pick<Moment, "at">,
): ReleaseJournal {
  const { kind, release, detail, cause, from } = what;
  const entry: Omit<JournalEntry, "sequence"> = {
    at: at.toISOString(),
    kind,
    release_id: release?.id ?? null,
    name: release && "name" in release ? release.name : null,
    version: release && "version" in release ? release.version : null,
    from_version: from,
    outcome: "refused",
    detail: cut(detail, 1_000),
    cause: cutCause(cause),
    restored_healthy: null,
    seconds: 0,
    log: [],
  };
  const last = journal.history.at(-1);
  const isSame =
    last?.outcome === "refused" && last.release_id === entry.release_id && last.detail === entry.detail;
  const history = isSame ? journal.history.slice(0, -1) : journal.history;
  const refusals = history.filter(({ outcome }) => outcome === "refused");
  const oldest = refusals.length >= mostRefusals ? refusals[0] : undefined;
  return withEntry({ ...journal, history: history.filter((one) => one !== oldest) }, entry);
}

export function withSlot(journal: ReleaseJournal, kind: UpdateKind, change: Partial<Slot>): ReleaseJournal {
  return { ...journal, slots: { ...journal.slots, [kind]: { ...journal.slots[kind], ...change } } };
}

/** A text that fits into the journal. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** A cause that fits into the journal. */
export function cutCause<T extends Cause>(cause: T): T {
  return { ...cause, last_answer: cause.last_answer && cut(cause.last_answer, 1_000) };
}

function withEntry(journal: ReleaseJournal, entry: Omit<JournalEntry, "sequence">): ReleaseJournal {
  const sequence = journal.sequence + 1;
  const history = [...journal.history, { sequence, ...entry }].slice(-journalBounds.history);
  return { ...journal, sequence, history };
}

function entryOf(slot: Slot, trial: Trial, { at, uptime, bootId }: Moment) {
  const { release, begun_at, begun_uptime, undo } = trial;
  // Monotonic time restarts at a reboot, so only the wall clock spans it.
  const byWall = Math.max(0, (at.getTime() - Date.parse(begun_at)) / 1_000);
  const isBack = undo?.outcome === "rolled_back";
  return {
    at: at.toISOString(),
    release_id: release.id,
    name: release.name,
    version: release.version,
    from_version: isBack ? release.version : (formerOf(slot)?.version ?? null),
    seconds: trial.boots === 1 && bootId === trial.boot_id ? Math.max(0, uptime - begun_uptime) : byWall,
  };
}

function setAsideOf({ id, name, version }: KnownRelease, undo: Undo, { at }: Pick<Moment, "at">): SetAside {
  const why = ({ failed: "failed", deferred: "deferred", aborted: "held", rolled_back: "held" } as const)[
    undo.outcome
  ];
  const until = why === "deferred" ? new Date(at.getTime() + deferredHours * 3_600_000).toISOString() : null;
  return {
    id,
    name,
    version,
    at: at.toISOString(),
    why,
    reason: cut(undo.reason, 1_000),
    ...(undo.cause && { cause: undo.cause }),
    until,
  };
}
