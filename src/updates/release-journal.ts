import { StewardError } from "../errors.ts";
import { validatorOf } from "../store/document-kind.ts";
import type { UpdateKind } from "./release.ts";

/**
 * What root's side of an update writes down: what is installed, what is being tried, what is not to be tried again. In
 * /var/lib/steward-releases/journal.json, root's, for everybody to read; one crash-proof write for each step.
 */
export interface ReleaseJournal {
  /** Of the newest entry of the history; 0: there is none. */
  readonly sequence: number;
  readonly slots: Readonly<Record<UpdateKind, Slot>>;
  /** Newest last. */
  readonly history: readonly JournalEntry[];
}

/** One kind of release on this device. */
export interface Slot {
  /** Those that have proved healthy and lie on the disk, oldest first: the last is current, the one before it previous. */
  readonly good: readonly KnownRelease[];
  /** What is under way; null: nothing. */
  readonly trial: Trial | null;
  /** Not to be taken by itself again, oldest first. */
  readonly setAside: readonly SetAside[];
}

/** A release as the history names it. */
export interface KnownRelease {
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

/**
 * Where a trial stands. `installing`: nothing has been changed yet, so that a crash just ends it.
 * `switching`: `current` is about to lead to it; `activating`: it does, and the service is told; `confirming`: it is
 * watched. `undoing`: `current` is about to lead back; `reactivating`: it does, and the service is told; `recovering`: the
 * former release is watched, and whatever comes of that, the trial ends.
 */
export const trialPhases = [
  "installing",
  "switching",
  "activating",
  "confirming",
  "undoing",
  "reactivating",
  "recovering",
] as const;
export type TrialPhase = (typeof trialPhases)[number];

export interface Trial {
  readonly release: KnownRelease;
  readonly phase: TrialPhase;
  /** By the wall clock, to be shown alone. */
  readonly begun_at: string;
  /** Seconds of monotonic time in `boot_id` at which it began. */
  readonly begun_uptime: number;
  /** The boot in which it was last worked on. */
  readonly boot_id: string;
  /** Boots in which it has been tried, the first included. */
  readonly boots: number;
  /** Exits that were not clean, of all boots. */
  readonly crashes: number;
  /** Seconds of monotonic time in `boot_id`; null: the watch has not begun in it. */
  readonly deadline_uptime: number | null;
  readonly health: TrialHealth;
  /** Why it is undone; null: it is not. */
  readonly undo: Undo | null;
}

export interface TrialHealth {
  /** In a row. */
  readonly successes: number;
  readonly needed: number;
  /** The last answer, in words. */
  readonly last: string | null;
  readonly at: string | null;
}

/** `rolled_back`: somebody wished it; the release was good, and is held from then on. */
export interface Undo {
  readonly outcome: "failed" | "deferred" | "aborted" | "rolled_back";
  readonly reason: string;
  readonly log: readonly string[];
}

export interface SetAside extends KnownRelease {
  readonly at: string;
  /** `held`: rolled back by somebody, or aborted. */
  readonly why: "failed" | "held" | "deferred";
  readonly reason: string;
  /** By the wall clock; null: for good. */
  readonly until: string | null;
}

/** As the API shows it. */
export interface JournalEntry {
  readonly sequence: number;
  readonly at: string;
  /** null: refused before it was known. */
  readonly kind: UpdateKind | null;
  readonly release_id: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly from_version: string | null;
  readonly outcome: "good" | "failed" | "deferred" | "aborted" | "rolled_back" | "refused";
  readonly detail: string;
  readonly restored_healthy: boolean | null;
  readonly seconds: number;
  readonly log: readonly string[];
}

/** Entries and lists are cut to it, the oldest first. */
export const journalBounds = { history: 32, setAside: 32, good: 8, logLines: 60, lineLength: 400 } as const;

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const nullable = <T extends object>(schema: T) => ({ oneOf: [{ type: "null" }, schema] }) as const;
const object = (properties: Readonly<Record<string, object>>) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const seconds = { type: "number", minimum: 0 } as const;
const moment = { type: "string", maxLength: 32, format: "date-time" } as const;
const list = (items: object, maxItems: number) => ({ type: "array", items, maxItems }) as const;
const log = list(text(journalBounds.lineLength), journalBounds.logLines);
const known = { id: { type: "string", pattern: "^[0-9a-f]{32}$" }, name: text(64), version: text(64) };

const trial = object({
  release: object(known),
  phase: { type: "string", enum: trialPhases },
  begun_at: moment,
  begun_uptime: seconds,
  boot_id: text(64),
  boots: count,
  crashes: count,
  deadline_uptime: nullable(seconds),
  health: object({ successes: count, needed: count, last: nullable(text(1_000)), at: nullable(moment) }),
  undo: nullable(
    object({
      outcome: { type: "string", enum: ["failed", "deferred", "aborted", "rolled_back"] },
      reason: text(1_000),
      log,
    }),
  ),
});

const slot = object({
  good: list(object(known), journalBounds.good),
  trial: nullable(trial),
  setAside: list(
    object({
      ...known,
      at: moment,
      why: { type: "string", enum: ["failed", "held", "deferred"] },
      reason: text(1_000),
      until: nullable(moment),
    }),
    journalBounds.setAside,
  ),
});

/** The journal's form. */
export const releaseJournalSchema = object({
  format: { type: "integer", enum: [1] },
  sequence: count,
  slots: object({ rules: slot, binary: slot }),
  history: list(
    object({
      sequence: count,
      at: moment,
      kind: { type: ["string", "null"], enum: [null, "rules", "binary"] },
      release_id: nullable(text(32)),
      name: nullable(text(64)),
      version: nullable(text(64)),
      from_version: nullable(text(64)),
      outcome: { type: "string", enum: ["good", "failed", "deferred", "aborted", "rolled_back", "refused"] },
      detail: text(1_000),
      restored_healthy: { type: ["boolean", "null"] },
      seconds,
      log,
    }),
    journalBounds.history,
  ),
});

/** Under which the build compiles its validator. */
export const releaseJournalName = "release-journal";

const emptySlot: Slot = { good: [], trial: null, setAside: [] };

/** Nothing was ever applied here. */
export const emptyJournal: ReleaseJournal = {
  sequence: 0,
  slots: { rules: emptySlot, binary: emptySlot },
  history: [],
};

/** Made at the first use, once. */
let validate: ReturnType<typeof validatorOf> | undefined;

/** The journal of these bytes; null (no file) is the empty one. Throws `state_damaged`. */
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
  // What a newer release has added to format 1 stays where it is.
  validate ??= validatorOf({ name: releaseJournalName, schema: releaseJournalSchema });
  const [wrong] = validate(value);
  if (wrong) throw damaged(`${wrong.pointer} ${wrong.detail}`);
  const { format: _, ...journal } = value as ReleaseJournal & { format: number };
  return journal;
}

/** The journal as it is written. */
export function releaseJournalText(journal: ReleaseJournal): string {
  return `${JSON.stringify({ format: 1, ...journal }, null, 1)}\n`;
}
