import { updateKinds } from "../contract/update-kinds.ts";
import type { UpdateKind } from "./release.ts";
import type { JournalEntry, ReleaseJournal, SetAside } from "./release-journal.ts";
import type { InstalledVersions } from "./selection.ts";

/** A release that is not to be taken by itself, with its kind. */
export interface SetAsideRelease extends SetAside {
  readonly kind: UpdateKind;
}

/** The last good release of each kind; `otherwise`: what runs where none was ever applied. */
export function installedVersions(journal: ReleaseJournal, otherwise: InstalledVersions): InstalledVersions {
  const of = (kind: UpdateKind) => journal.slots[kind].good.at(-1)?.version ?? otherwise[kind];
  return { rules: of("rules"), binary: of("binary") };
}

/** Ids of the releases that lie on the disk for good. */
export function goodIds({ slots }: ReleaseJournal): readonly string[] {
  return updateKinds.flatMap((kind) => slots[kind].good.map(({ id }) => id));
}

/** What is not to be taken by itself at this moment, oldest first: what was deferred until before then is free again. */
export function setAsideAt({ slots }: ReleaseJournal, now: Date): readonly SetAsideRelease[] {
  const stands = ({ until }: SetAside) => until === null || Date.parse(until) > now.getTime();
  return updateKinds.flatMap((kind) => slots[kind].setAside.filter(stands).map((one) => ({ ...one, kind })));
}

/** The same by id; of one that is named twice, its failure counts. */
export function setAsideById(journal: ReleaseJournal, now: Date): ReadonlyMap<string, SetAsideRelease> {
  const all = setAsideAt(journal, now);
  const ordered = [
    ...all.filter(({ why }) => why !== "failed"),
    ...all.filter(({ why }) => why === "failed"),
  ];
  return new Map(ordered.map((one) => [one.id, one]));
}

/** The kind that is on trial; null: nothing is. */
export function kindOnTrial({ slots }: ReleaseJournal): UpdateKind | null {
  return updateKinds.find((kind) => slots[kind].trial !== null) ?? null;
}

/** The last word on a kind; undefined: nothing was ever tried. */
export function newestEntry({ history }: ReleaseJournal, kind: UpdateKind): JournalEntry | undefined {
  return history.findLast((entry) => entry.kind === kind);
}
