import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { type ReleaseJournal, readReleaseJournal } from "../../releases/release-journal.ts";
import { takeLock } from "../../store/files/lock.ts";
import { journalBytes, openJournal } from "../files/journal-store.ts";
import { conformLinks, prune } from "../files/links.ts";
import { pathsOf } from "../files/release-directories.ts";
import { leaveOrder, type Order } from "./orders.ts";
import { withSlot } from "./outcomes.ts";
import { drive, type InstallerContext } from "./run-trial.ts";

/** Opens root's side under the lock of the release directory, and does `work`. Throws `state_locked`. */
export async function withReleases<T>(
  parts: Omit<InstallerContext, "journal">,
  waitSeconds: number,
  work: (parts: InstallerContext) => Promise<T>,
): Promise<T> {
  const { host, directories } = parts;
  await host.files.makeDirectory(directories.releases, 0o755);
  const lock = await takeLock(directories.releases, waitSeconds);
  try {
    return await work({ ...parts, journal: await openJournal(host.files, directories) });
  } finally {
    await lock.release();
  }
}

/** Brings whatever is under way to its end. At boot it stops where the boot need not wait for it any more. */
export async function guard(parts: InstallerContext, { isBoot }: { isBoot: boolean }): Promise<void> {
  for (const kind of updateKinds) await drive(parts, kind, { untilPatient: isBoot });
  await tidy(parts);
}

/** Lets the disk be as the journal has it; while something is on trial, that is its own business. */
export async function tidy({ host: { files }, directories, journal }: InstallerContext): Promise<void> {
  const present = journal.read();
  if (updateKinds.some((kind) => present.slots[kind].trial !== null)) return;
  const paths = pathsOf(directories);
  for (const kind of updateKinds) {
    await conformLinks(files, directories, { kind, slot: present.slots[kind] });
    await files.remove(paths.order(kind));
  }
  await prune(files, directories, present);
  await files.remove(paths.intake);
  await files.remove(paths.underWay);
}

/** The kind that is on trial; null: none. */
export function underWay({ journal }: Pick<InstallerContext, "journal">): UpdateKind | null {
  const { slots } = journal.read();
  return updateKinds.find((kind) => slots[kind].trial !== null) ?? null;
}

/**
 * Gives an order to whoever works on the trial; where nobody does, it is carried out here. Throws `not_found` where
 * nothing is on trial.
 */
export async function order(
  parts: Omit<InstallerContext, "journal">,
  { kind, order: given }: { kind: UpdateKind; order: Order },
): Promise<"carried out" | "given"> {
  const { host, directories } = parts;
  const leave = async ({ slots }: ReleaseJournal): Promise<void> => {
    if (slots[kind].trial === null) throw nothingOnTrial(kind);
    await leaveOrder(host.files, directories, { kind, order: given });
  };
  try {
    await withReleases(parts, 0, async (open) => {
      await leave(open.journal.read());
      await guard(open, { isBoot: false });
    });
    return "carried out";
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "state_locked") throw error;
    // Somebody works on it, and reads the order before the next step.
    await leave(readReleaseJournal(await host.files.read(pathsOf(directories).journal, journalBytes)));
    return "given";
  }
}

/** Takes a release off the list of those that are not tried again. Throws `not_found`. */
export async function forgive({ journal }: InstallerContext, id: string): Promise<void> {
  const { slots } = journal.read();
  const kind = updateKinds.find((one) => slots[one].setAside.some((release) => release.id === id));
  if (kind === undefined) throw new StewardError("not_found", `The release ${id} is not set aside here.`);
  await journal.update((present) => {
    const setAside = present.slots[kind].setAside.filter((release) => release.id !== id);
    return withSlot(present, kind, { setAside });
  });
}

function nothingOnTrial(kind: UpdateKind): StewardError {
  return new StewardError(
    "not_found",
    `No update of the kind ${kind} is under way: there is nothing to confirm or abort.`,
  );
}
