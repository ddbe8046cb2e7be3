import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { journalBytes, type ReleaseJournal, readReleaseJournal } from "../../releases/release-journal.ts";
import { takeLock } from "../../store/files/lock.ts";
import { openJournal } from "../files/journal-store.ts";
import { conformLinks, prune } from "../files/links.ts";
import { pathsOf } from "../files/release-directories.ts";
import { leaveOrder, type Order } from "./orders.ts";
import { withSlot } from "./outcomes.ts";
import { type InstallerContext, runTrial } from "./run-trial.ts";

/** Takes the lock of the release directory, opens the journal and does `work`. Throws `state_locked`. */
export async function withReleases<T>(
  context: Omit<InstallerContext, "journal">,
  waitSeconds: number,
  work: (context: InstallerContext) => Promise<T>,
): Promise<T> {
  const { host, directories, packaged } = context;
  await host.files.makeDirectory(directories.releases, 0o755);
  const lock = await takeLock(directories.releases, { waitSeconds });
  try {
    return await work({ ...context, journal: await openJournal(host.files, directories, packaged) });
  } finally {
    await lock.release();
  }
}

/** Brings a trial that is under way to its end. At boot it stops where the boot no longer has to wait. */
export async function guard(context: InstallerContext, { isBoot }: { isBoot: boolean }): Promise<void> {
  for (const kind of updateKinds) await runTrial(context, kind, { stopsBeforeLongSteps: isBoot });
  await tidy(context);
}

/** Makes links and trees agree with the journal. During a trial it does nothing, because the trial changes them. */
export async function tidy({ host: { files }, directories, journal }: InstallerContext): Promise<void> {
  const present = journal.read();
  if (updateKinds.some((kind) => present.slots[kind].trial !== null)) return;
  const paths = pathsOf(directories);
  for (const kind of updateKinds) {
    await conformLinks(files, directories, { kind, slot: present.slots[kind] });
    await files.remove(paths.order(kind));
  }
  await prune(files, directories, present);
  await files.remove(paths.copies);
  await files.remove(paths.underWay);
}

/** Leaves an order for the process on the trial, or carries it out if there is none. Throws `not_found` without a trial. */
export async function order(
  context: Omit<InstallerContext, "journal">,
  { kind, order: given }: { kind: UpdateKind; order: Order },
): Promise<"carried out" | "given"> {
  const { host, directories } = context;
  const leave = async ({ slots }: ReleaseJournal): Promise<void> => {
    if (slots[kind].trial === null)
      throw new StewardError(
        "not_found",
        `No update of ${kind} is under way: there is nothing to confirm or abort.`,
      );
    await leaveOrder(host.files, directories, { kind, order: given });
  };
  try {
    await withReleases(context, 0, async (open) => {
      await leave(open.journal.read());
      await guard(open, { isBoot: false });
    });
    return "carried out";
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "state_locked") throw error;
    // Another process works on it, and reads the order before its next step.
    await leave(readReleaseJournal(await host.files.read(pathsOf(directories).journal, journalBytes)));
    return "given";
  }
}

/** Removes a release from the blocklist. Throws `not_found`. */
export async function forgive({ journal }: InstallerContext, id: string): Promise<void> {
  const { slots } = journal.read();
  const kind = updateKinds.find((one) => slots[one].setAside.some((release) => release.id === id));
  if (kind === undefined)
    throw new StewardError("not_found", `The release ${id} is not on the blocklist of this device.`);
  await journal.update((present) => {
    const setAside = present.slots[kind].setAside.filter((release) => release.id !== id);
    return withSlot(present, kind, { setAside });
  });
}
