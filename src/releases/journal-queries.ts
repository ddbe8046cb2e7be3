import type { HistoryEntry } from "../contract/types.ts";
import { updateKinds } from "../contract/update-kinds.ts";
import { reasonOf } from "./outcome-reasons.ts";
import type { UpdateKind } from "./release.ts";
import type { JournalEntry, KnownRelease, ReleaseJournal, SetAside, Slot } from "./release-journal.ts";
import type { InstalledVersions } from "./selection.ts";
import { compareVersions } from "./semver.ts";

export interface SetAsideRelease extends SetAside {
  readonly kind: UpdateKind;
}

/** The last good release of each kind; `otherwise`: the versions of a device on which none was ever applied. */
export function installedVersions(journal: ReleaseJournal, otherwise: InstalledVersions): InstalledVersions {
  const of = (kind: UpdateKind) => journal.slots[kind].good.at(-1)?.version ?? otherwise[kind];
  return { rules: of("rules"), binary: of("binary") };
}

/**
 * The journal without the releases that this device's package has overtaken. The launcher starts the newer of the two,
 * so they no longer run, and nothing goes back to them (docs/design/updates.md, rule 14).
 */
export function withoutOvertaken(journal: ReleaseJournal, packaged: InstalledVersions): ReleaseJournal {
  const of = (kind: UpdateKind): Slot => {
    const { [kind]: slot } = journal.slots;
    const good = slot.good.filter(({ version }) => !isOvertaken(version, packaged[kind]));
    return good.length === slot.good.length ? slot : { ...slot, good };
  };
  const slots = { rules: of("rules"), binary: of("binary") };
  const isSame = updateKinds.every((kind) => slots[kind] === journal.slots[kind]);
  return isSame ? journal : { ...journal, slots };
}

/** True if the package is as new as a release, or newer. */
export function isOvertaken(version: string, packaged: string | null): boolean {
  return packaged !== null && compareVersions(version, packaged) <= 0;
}

export function goodIds({ slots }: ReleaseJournal): readonly string[] {
  return updateKinds.flatMap((kind) => slots[kind].good.map(({ id }) => id));
}

export function inForceIds({ slots }: ReleaseJournal): readonly string[] {
  return updateKinds.flatMap((kind) => slots[kind].good.at(-1)?.id ?? []);
}

/** The blocklist at this moment, oldest first: releases that were deferred until before then are free again. */
export function setAsideAt({ slots }: ReleaseJournal, now: Date): readonly SetAsideRelease[] {
  const stands = ({ until }: SetAside) => until === null || Date.parse(until) > now.getTime();
  return updateKinds.flatMap((kind) => slots[kind].setAside.filter(stands).map((one) => ({ ...one, kind })));
}

/** The same by id; for a release that is on it twice, its failure counts. */
export function setAsideById(journal: ReleaseJournal, now: Date): ReadonlyMap<string, SetAsideRelease> {
  const all = setAsideAt(journal, now);
  const ordered = [...all, ...all.filter(({ why }) => why === "failed")];
  return new Map(ordered.map((one) => [one.id, one]));
}

/** The release that runs without a trial, or returns after an undone one; null: the state before any release. */
export function formerOf({ good, trial }: Slot): KnownRelease | null {
  return good.filter(({ id }) => id !== trial?.release.id).at(-1) ?? null;
}

/** The package's version, which remains when the last release is removed; null: there is none. */
export function packagedInsteadOf(
  { name }: KnownRelease,
  version: string | null,
): Pick<KnownRelease, "name" | "version"> | null {
  return version === null ? null : { name, version };
}

/** The kind that is on trial; null: nothing is. */
export function kindOnTrial({ slots }: ReleaseJournal): UpdateKind | null {
  return updateKinds.find((kind) => slots[kind].trial !== null) ?? null;
}

/** The newest entry of a kind; undefined: nothing was ever tried. */
export function newestEntry(
  { history }: Pick<ReleaseJournal, "history">,
  kind: UpdateKind,
): JournalEntry | undefined {
  return history.findLast((entry) => entry.kind === kind);
}

export function historyEntryOf({ detail, cause, log, ...entry }: JournalEntry): HistoryEntry {
  return { ...entry, reason: reasonOf(detail, cause), log: [...log] };
}
