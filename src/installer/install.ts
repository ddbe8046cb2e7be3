import { StewardError } from "../contract/errors.ts";
import type { ApplyPlan } from "../host/release-ports.ts";
import { requireAgentMayRollBack } from "../releases/agent-rollback.ts";
import type { Release, UpdateKind } from "../releases/release.ts";
import type { KnownRelease, ReleaseJournal, Slot, Trial, Undo } from "../releases/release-journal.ts";
import { journalBounds } from "../releases/release-journal-schema.ts";
import type { Floors } from "../releases/selection.ts";
import { compareVersions } from "../releases/semver.ts";
import { labelText } from "./files/journal-store.ts";
import { conformLinks } from "./files/links.ts";
import { pathsOf } from "./files/release-directories.ts";
import { tidy, underWay } from "./trial/guard.ts";
import { messageOf } from "./trial/health-watch.ts";
import { formerOf, refused, withSlot } from "./trial/outcomes.ts";
import { drive, type InstallerContext } from "./trial/run-trial.ts";
import type { VerifiedRelease } from "./verify/verify-and-copy.ts";

/** Takes what the agent has staged, believing nothing of it. Throws the codes `update_*`, `storage_full`. */
export type TakeIn = (id: string, journal: ReleaseJournal) => Promise<VerifiedRelease>;

/**
 * Puts a staged release on trial: verified, unpacked, self-tested; what then has to be done is the guard's. Whatever is
 * wrong with it, nothing was changed, and the journal says why. Throws the same.
 */
export async function install(parts: InstallerContext, id: string, takeIn: TakeIn): Promise<void> {
  await noTrial(parts);
  let verified: VerifiedRelease | null = null;
  try {
    verified = await takeIn(id, parts.journal.read());
    const plan = planOf(parts, verified.release.kind);
    requireAbsence(parts, verified.release);
    await putOnTrial(parts, verified, plan);
  } catch (error) {
    await refuse(
      parts,
      { release: verified?.release ?? { id }, kind: verified?.release.kind ?? null },
      error,
    );
    throw error;
  } finally {
    await parts.host.files.remove(pathsOf(parts.directories).intake);
    await tidy(parts);
  }
}

/** Who asks for a rollback, and what the publisher still allows. */
export interface RollbackOrder {
  readonly by: "agent" | "root";
  readonly floors: Floors;
}

/**
 * Puts the way back on trial: the release before, which has been verified and good. Throws `nothing_to_roll_back`,
 * `below_floor`, and to the agent `rollback_needs_root`.
 */
export async function rollBack(
  parts: InstallerContext,
  kind: UpdateKind,
  { by, floors }: RollbackOrder,
): Promise<void> {
  await noTrial(parts);
  const slot = parts.journal.read().slots[kind];
  const { good, agentRolledBack = [] } = slot;
  const [present, former] = [good.at(-1) ?? null, good.at(-2) ?? null];
  try {
    if (present === null || former === null) throw nothingBefore(kind);
    requireFloor(kind, former, floors);
    const isAgents = by === "agent";
    const { bootId, uptime } = parts.host;
    if (isAgents) requireAgentMayRollBack(kind, slot, { bootId, uptime: uptime() });
    const plan = planOf(parts, kind);
    const undo: Undo = { outcome: "rolled_back", reason: "Somebody has rolled it back.", log: [] };
    const trial: Trial = { ...newTrial(parts, present, plan), phase: "undoing", undo };
    // With the trial in one write: a crash gives the agent no second one.
    const taken = [...agentRolledBack, present.id].slice(-journalBounds.agentRolledBack);
    await begin(parts, kind, { trial, ...(isAgents && { agentRolledBack: taken }) });
  } catch (error) {
    await refuse(parts, { release: present, kind }, error);
    throw error;
  }
}

async function putOnTrial(
  parts: InstallerContext,
  { release, payload }: VerifiedRelease,
  plan: ApplyPlan,
): Promise<void> {
  const { host, directories, journal } = parts;
  const { files } = host;
  const { id, kind, name, version } = release;
  const known: KnownRelease = { id, name, version };
  const paths = pathsOf(directories);
  await begin(parts, kind, { trial: newTrial(parts, known, plan) });
  parts.say(`${kind} ${name} ${version}: verified, and being unpacked`);
  await files.makeDirectory(paths.trees, 0o755);
  await files.remove(paths.draft(id));
  await files.remove(paths.tree(id));
  await host.unpack(payload, paths.draft(id));
  await files.sync(paths.draft(id));
  if (plan.selfTest !== null) {
    await host.selfTest(plan.selfTest, { kind, version, directory: paths.draft(id) });
  }
  await files.write(paths.label(id), labelText(kind, known), 0o644);
  await files.move(paths.draft(id), paths.tree(id));
  // The guard is started from `previous`, which from here on is what runs now.
  await conformLinks(files, directories, { kind, slot: journal.read().slots[kind] });
  await journal.update((present) => withTrial(present, kind, { phase: "switching" }));
}

/** What an installation that was cut short has left is dropped; anything else that is under way goes on. */
async function noTrial(parts: InstallerContext): Promise<void> {
  const kind = underWay(parts);
  if (kind === null) return;
  const { trial } = parts.journal.read().slots[kind];
  if (trial?.phase === "installing") await drive(parts, kind);
  else
    throw new StewardError(
      "update_busy",
      `An update of the kind ${kind} is under way. Try again when it has ended.`,
    );
}

async function begin(
  { host, directories, journal }: InstallerContext,
  kind: UpdateKind,
  change: Pick<Slot, "trial" | "agentRolledBack">,
): Promise<void> {
  await host.files.write(pathsOf(directories).underWay, `${kind}\n`, 0o644);
  await host.files.remove(pathsOf(directories).order(kind));
  await journal.update((present) => withSlot(present, kind, change));
}

function newTrial({ host }: InstallerContext, release: KnownRelease, plan: ApplyPlan): Trial {
  return {
    release,
    phase: "installing",
    begun_at: host.now().toISOString(),
    begun_uptime: host.uptime(),
    boot_id: host.bootId,
    boots: 1,
    crashes: 0,
    deadline_uptime: null,
    health: { successes: 0, needed: plan.health.successes, last: null, at: null },
    undo: null,
  };
}

function withTrial(journal: ReleaseJournal, kind: UpdateKind, change: Partial<Trial>): ReleaseJournal {
  const { trial } = journal.slots[kind];
  return trial === null ? journal : withSlot(journal, kind, { trial: { ...trial, ...change } });
}

async function refuse(
  { host, journal, say }: InstallerContext,
  { release, kind }: { release: KnownRelease | { id: string } | null; kind: UpdateKind | null },
  error: unknown,
): Promise<void> {
  const detail = messageOf(error);
  say(`refused: ${detail}`);
  await journal.update((present) => {
    const from = kind === null ? null : (formerOf(present.slots[kind])?.version ?? null);
    const without = kind === null ? present : withSlot(present, kind, { trial: null });
    return refused(without, { kind, release, detail, from }, { at: host.now() });
  });
}

function planOf({ plans }: InstallerContext, kind: UpdateKind): ApplyPlan {
  const plan = plans[kind];
  if (plan !== null) return plan;
  throw new StewardError(
    "update_not_set_up",
    `The host file does not say how a release of the kind ${kind} is put to work: give it update.${kind}.`,
  );
}

/** What lies here as good is not made anew under the feet of what runs from it. */
function requireAbsence({ journal }: InstallerContext, { kind, id, name, version }: Release): void {
  if (!journal.read().slots[kind].good.some((one) => one.id === id)) return;
  throw new StewardError("update_not_acceptable", `${name} ${version} is on this device already.`);
}

function requireFloor(kind: UpdateKind, { name, version }: KnownRelease, floors: Floors): void {
  const floor = floors[`${kind}/${name}`];
  if (floor === undefined || compareVersions(version, floor) >= 0) return;
  throw new StewardError(
    "below_floor",
    `${name} ${version} is below ${floor}, the lowest version that its publisher still allows. Nothing was changed.`,
  );
}

function nothingBefore(kind: UpdateKind): StewardError {
  return new StewardError(
    "nothing_to_roll_back",
    `There is no release of the kind ${kind} from before the present one on this device.`,
  );
}
