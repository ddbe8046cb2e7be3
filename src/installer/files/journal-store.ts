import { StewardError } from "../../contract/errors.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import type { ReleaseFiles } from "../../host/release-ports.ts";
import { withoutOvertaken } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import {
  emptyJournal,
  journalBytes,
  type KnownRelease,
  type ReleaseJournal,
  readReleaseJournal,
  releaseJournalText,
  type Slot,
} from "../../releases/release-journal.ts";
import type { InstalledVersions } from "../../releases/selection.ts";
import { pathsOf, type ReleaseDirectories } from "./release-directories.ts";

/** The release journal, as the installer writes it. Only the holder of the lock of the directory has one. */
export type JournalStore = Awaited<ReturnType<typeof openJournal>>;

/** Opens the journal without overtaken releases. A damaged one is kept as `journal.json.bad`, and rebuilt from links. */
export async function openJournal(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  packaged: InstalledVersions,
) {
  const path = pathsOf(directories).journal;
  await files.makeDirectory(directories.releases, 0o755);
  const loaded = await load(files, directories);
  let journal = withoutOvertaken(loaded, packaged);
  // Kept, so that an older package, installed later, does not bring them back.
  if (journal !== loaded) await files.write(path, releaseJournalText(journal), 0o644);
  return {
    read: (): ReleaseJournal => journal,
    /** On the disk when it settles. Throws `storage_full`, `storage_unwritable`, and then nothing has changed. */
    update: async (change: (present: ReleaseJournal) => ReleaseJournal): Promise<void> => {
      const next = change(journal);
      await files.write(path, releaseJournalText(next), 0o644);
      journal = next;
    },
  };
}

async function load(files: ReleaseFiles, directories: ReleaseDirectories): Promise<ReleaseJournal> {
  const path = pathsOf(directories).journal;
  try {
    return readReleaseJournal(await files.read(path, journalBytes));
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "state_damaged") throw error;
    const journal = await fromLinks(files, directories);
    await files.move(path, `${path}.bad`);
    await files.write(path, releaseJournalText(journal), 0o644);
    return journal;
  }
}

/** The state without a journal: where `current` and `previous` lead. */
async function fromLinks(files: ReleaseFiles, directories: ReleaseDirectories): Promise<ReleaseJournal> {
  const slotOf = (kind: UpdateKind) => slotFromLinks(files, directories, kind);
  return { ...emptyJournal, slots: { rules: await slotOf("rules"), binary: await slotOf("binary") } };
}

async function slotFromLinks(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  kind: UpdateKind,
): Promise<Slot> {
  const paths = pathsOf(directories);
  const good: KnownRelease[] = [];
  for (const link of [paths.previous(kind), paths.current(kind)]) {
    const id = /([0-9a-f]{32})$/.exec((await files.linkTarget(link)) ?? "")?.[1];
    const label = id === undefined ? null : await readLabel(files, directories, id);
    if (label !== null && !good.some((one) => one.id === label.id)) good.push(label);
  }
  return { ...emptyJournal.slots[kind], good };
}

/** Bytes of a label: four short members. */
const labelBytes = 4_096;

/** The label that was written beside a tree; null: unknown. */
async function readLabel(
  files: ReleaseFiles,
  directories: ReleaseDirectories,
  id: string,
): Promise<KnownRelease | null> {
  const bytes = await files.read(pathsOf(directories).label(id), labelBytes);
  if (bytes === null) return null;
  const { name, version } = objectIn(Buffer.from(bytes).toString("utf8")) ?? {};
  return typeof name === "string" && typeof version === "string" ? { id, name, version } : null;
}

export function labelText(kind: UpdateKind, { id, name, version }: KnownRelease): string {
  return `${JSON.stringify({ id, kind, name, version })}\n`;
}
