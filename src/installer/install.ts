import { messageOf, StewardError } from "../contract/errors.ts";
import type { ApplyPlan } from "../host/release-ports.ts";
import { requireAgentMayRollBack, requireRollback } from "../releases/agent-rollback.ts";
import { formerOf, kindOnTrial } from "../releases/journal-queries.ts";
import { type Cause, outcomeCause, outcomeSentence } from "../releases/outcome-reasons.ts";
import type { Release, UpdateKind } from "../releases/release.ts";
import type { KnownRelease, ReleaseJournal, Slot, Trial, Undo } from "../releases/release-journal.ts";
import { journalBounds } from "../releases/release-journal-schema.ts";
import type { Floors } from "../releases/selection.ts";
import { labelText } from "./files/journal-store.ts";
import { conformLinks } from "./files/links.ts";
import { pathsOf } from "./files/release-directories.ts";
import { tidy } from "./trial/guard.ts";
import { refused, withSlot } from "./trial/outcomes.ts";
import { type InstallerContext, runTrial } from "./trial/run-trial.ts";
import type { VerifiedRelease } from "./verify/verify-and-copy.ts";

/** Verifies what the agent has staged, trusting none of it, and copies it. Throws the codes `update_*`, `storage_full`. */
export type VerifyAndCopy = (id: string, journal: ReleaseJournal) => Promise<VerifiedRelease>;

/** Puts a staged release on trial; the guard does the rest. A refused one changes nothing: journal and error say why. */
export async function install(
  context: InstallerContext,
  id: string,
  verifyAndCopy: VerifyAndCopy,
): Promise<void> {
  await requireNoTrial(context);
  let verified: VerifiedRelease | null = null;
  try {
    verified = await verifyAndCopy(id, context.journal.read());
    const plan = planOf(context, verified.release.kind);
    requireAbsence(context, verified.release);
    await putOnTrial(context, verified, plan);
  } catch (error) {
    await refuse(
      context,
      { release: verified?.release ?? { id }, kind: verified?.release.kind ?? null },
      error,
    );
    throw error;
  } finally {
    await context.host.files.remove(pathsOf(context.directories).copies);
    await tidy(context);
  }
}

/** The side that asks for a rollback, and the floors of the publisher. */
export interface RollbackOrder {
  readonly by: "agent" | "root";
  readonly floors: Floors;
}

/**
 * Puts the previous release on trial, which was verified and healthy, or else the package. Throws
 * `nothing_to_roll_back`, `below_floor`, and `rollback_needs_root` if the agent asks for more than it may
 * (docs/design/updates.md, rule 8).
 */
export async function rollBack(
  context: InstallerContext,
  kind: UpdateKind,
  { by, floors }: RollbackOrder,
): Promise<void> {
  await requireNoTrial(context);
  const slot = context.journal.read().slots[kind];
  const { agentRolledBack = [] } = slot;
  try {
    const present = requireRollback(kind, slot, { packaged: context.packaged, floors });
    const isAgents = by === "agent";
    const { bootId, uptime } = context.host;
    const boot = { bootId, uptime: uptime() };
    if (isAgents) requireAgentMayRollBack(kind, present, { agentRolledBack, boot });
    const plan = planOf(context, kind);
    const cause = outcomeCause("rolled_back");
    const undo: Undo = { outcome: "rolled_back", reason: outcomeSentence(cause), cause, log: [] };
    const trial: Trial = { ...newTrial(context, present, plan), phase: "undoing", undo };
    // In one write with the trial, so that a crash does not give the agent a second rollback.
    const taken = [...agentRolledBack, present.id].slice(-journalBounds.agentRolledBack);
    await begin(context, kind, { trial, ...(isAgents && { agentRolledBack: taken }) });
  } catch (error) {
    await refuse(context, { release: slot.good.at(-1) ?? null, kind }, error);
    throw error;
  }
}

async function putOnTrial(
  context: InstallerContext,
  { release, payload }: VerifiedRelease,
  plan: ApplyPlan,
): Promise<void> {
  const { host, directories, journal } = context;
  const { files } = host;
  const { id, kind, name, version } = release;
  const known: KnownRelease = { id, name, version };
  const paths = pathsOf(directories);
  const trial = newTrial(context, known, plan);
  await begin(context, kind, { trial });
  context.say(`${kind} ${name} ${version}: verified, and being unpacked`);
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
  // The guard starts from `previous`, which from here on is the release that runs now.
  await conformLinks(files, directories, { kind, slot: journal.read().slots[kind] });
  await journal.update((present) => withSlot(present, kind, { trial: { ...trial, phase: "switching" } }));
}

/** Drops an installation that was cut short. Throws `update_busy` for any other trial that is under way. */
async function requireNoTrial(context: InstallerContext): Promise<void> {
  const kind = kindOnTrial(context.journal.read());
  if (kind === null) return;
  const { trial } = context.journal.read().slots[kind];
  if (trial?.phase === "installing") await runTrial(context, kind);
  else
    throw new StewardError(
      "update_busy",
      `Another update (${kind}) is under way. Try again when it has ended.`,
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

async function refuse(
  { host, journal, say }: InstallerContext,
  { release, kind }: { release: KnownRelease | { id: string } | null; kind: UpdateKind | null },
  error: unknown,
): Promise<void> {
  const detail = messageOf(error);
  const code = error instanceof StewardError ? error.code : "internal_error";
  const cause: Cause = { code, count: null, last_answer: null };
  say(`refused: ${detail}`);
  await journal.update((present) => {
    const from = kind === null ? null : (formerOf(present.slots[kind])?.version ?? null);
    const without = kind === null ? present : withSlot(present, kind, { trial: null });
    return refused(without, { kind, release, detail, cause, from }, { at: host.now() });
  });
}

function planOf({ plans }: InstallerContext, kind: UpdateKind): ApplyPlan {
  const plan = plans[kind];
  if (plan !== null) return plan;
  throw new StewardError(
    "update_not_set_up",
    `The host file does not say how to apply ${kind}. Add update.${kind} to it.`,
  );
}

/** A good release is not unpacked again: a running program may be using its files. */
function requireAbsence({ journal }: InstallerContext, { kind, id, name, version }: Release): void {
  if (!journal.read().slots[kind].good.some((one) => one.id === id)) return;
  throw new StewardError("update_not_acceptable", `${name} ${version} is already on this device.`);
}
