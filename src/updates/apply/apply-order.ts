import { StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { requireAgentMayRollBack, requireRollback } from "../../releases/agent-rollback.ts";
import { installedVersions, type SetAsideRelease, setAsideAt } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import { compareVersions } from "../../releases/semver.ts";
import type { CheckSource } from "../check/check-outcome.ts";
import { availableRelease, type CheckParts } from "../check/hold-conditions.ts";
import { settingsBlock, sourceOf } from "../check/settings-block.ts";
import { holdSentence } from "../facts/update-sentences.ts";
import { kindsInOrder, stagedReleases } from "./apply-conditions.ts";
import { hasFailed, nothingAvailable, notSetUp } from "./apply-refusals.ts";

type Parts = Pick<CheckParts, "options" | "watch" | "downloads">;

export function kindsOf(kind: UpdateKind | "all"): readonly UpdateKind[] {
  return kind === "all" ? updateKinds : [kind];
}

/**
 * Decides which kinds a request applies, in their order, and the source that is checked first; null: there is no server, and
 * the release is on this device already. Throws `update_not_set_up`, `no_update_available`, `update_not_acceptable` (it has
 * failed here), `update_not_configured`, `signature_verification_required`, `state_damaged`.
 */
export function applyOrder(
  parts: Parts,
  { kind, repository }: { kind: UpdateKind | "all"; repository?: string | undefined },
) {
  requireReadable(parts);
  const asked = kind === "all" ? kindsInOrder(parts) : [kind];
  requireSetUp(parts, asked);
  const present = repository === undefined ? availableOf(parts, asked) : asked;
  const kinds = requireSetUp(parts, present);
  return { kinds, source: lookIn(parts, kinds, repository) };
}

/** Throws `update_not_set_up`, `nothing_to_roll_back`, `below_floor`, `rollback_needs_root`, `state_damaged`. */
export function requireRollbackByAgent(parts: Parts, kind: UpdateKind): void {
  requireReadable(parts);
  requireSetUp(parts, [kind]);
  const slot = parts.watch.journal().slots[kind];
  const { bootId, uptime, packaged, record } = parts.options;
  const present = requireRollback(kind, slot, { packaged, floors: record.read().floors });
  requireAgentMayRollBack(kind, present, { ...slot, boot: { bootId, uptime: uptime() } });
}

function requireReadable({ watch }: Parts): void {
  const unreadable = watch.unreadable();
  if (unreadable !== null)
    throw new StewardError("state_damaged", holdSentence("journal_unreadable", { reason: unreadable }));
}

/** Those of them that the host file knows; throws where that is none. */
function requireSetUp({ options }: Parts, kinds: readonly UpdateKind[]): readonly UpdateKind[] {
  const known = kinds.filter((kind) => options.installer.isSetUp(kind));
  if (known.length === 0) throw notSetUp(kinds);
  return known;
}

function availableOf(parts: Parts, asked: readonly UpdateKind[]): readonly UpdateKind[] {
  const present = asked.filter((kind) => availableRelease(parts, kind) !== null);
  if (present.length > 0) return present;
  const { watch, options } = parts;
  const installed = installedVersions(watch.journal(), options.installed());
  const isNewer = ({ kind, version }: SetAsideRelease): boolean =>
    installed[kind] === null || compareVersions(version, installed[kind]) > 0;
  const failed = setAsideAt(watch.journal(), options.now()).findLast(
    (one) => one.why === "failed" && asked.includes(one.kind) && isNewer(one),
  );
  throw failed ? hasFailed(failed) : nothingAvailable();
}

/** Without a server, a verified release on this device can still be applied. */
function lookIn(
  parts: Parts,
  kinds: readonly UpdateKind[],
  repository: string | undefined,
): CheckSource | null {
  const { server } = parts.options.settings().ota;
  const isHere = stagedReleases(parts).some(({ kind }) => kinds.includes(kind));
  const isWithoutServer = server === "" && repository === undefined && settingsBlock(parts.options) === null;
  return isWithoutServer && isHere ? null : sourceOf(parts.options, repository);
}
