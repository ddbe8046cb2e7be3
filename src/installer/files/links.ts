import { updateKinds } from "../../contract/update-kinds.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import { formerOf } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { KnownRelease, ReleaseJournal, Slot } from "../../releases/release-journal.ts";
import { pathsOf, type ReleaseDirectories } from "./release-directories.ts";

/** The releases that `current` and `previous` must lead to, by the journal. */
function linksOf(slot: Slot): { current: KnownRelease | null; previous: KnownRelease | null } {
  const { trial, good } = slot;
  const former = formerOf(slot);
  if (trial === null) return { current: good.at(-1) ?? null, previous: good.at(-2) ?? null };
  if (trial.phase === "installing") return { current: good.at(-1) ?? null, previous: good.at(-1) ?? null };
  // The guard runs from `previous`: it is never the release on trial (docs/design/updates.md, rule 13).
  return { current: trial.undo === null ? trial.release : former, previous: former };
}

/** Makes the links of a kind agree with the journal; correct ones stay as they are. */
export async function conformLinks(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  { kind, slot }: { kind: UpdateKind; slot: Slot },
): Promise<void> {
  const paths = pathsOf(directories);
  const { current, previous } = linksOf(slot);
  await files.makeDirectory(paths.slot(kind), 0o755);
  // `previous` first, so that the way back is there before the switch.
  for (const [path, release] of [
    [paths.previous(kind), previous],
    [paths.current(kind), current],
  ] as const) {
    const target = release === null ? null : paths.linkTo(release.id);
    if ((await files.linkTarget(path)) !== target) await files.link(path, target);
  }
}

/** Removes the trees that the journal does not name, and unfinished ones. */
export async function prune(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  { slots }: ReleaseJournal,
): Promise<void> {
  const { trees } = pathsOf(directories);
  const kept = new Set(
    updateKinds.flatMap((kind) => {
      const { good, trial } = slots[kind];
      return [...good.map(({ id }) => id), ...(trial ? [trial.release.id] : [])];
    }),
  );
  for (const name of await files.names(trees)) {
    if (!kept.has(name.replace(/\.json$/, ""))) await files.remove(`${trees}/${name}`);
  }
}
