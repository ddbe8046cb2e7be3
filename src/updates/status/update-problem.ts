import type { ErrorCode } from "../../contract/error-codes.ts";
import { updateProblemCodes } from "../../contract/schemas/update-reasons.ts";
import type { UpdateProblem } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { newestEntry } from "../../releases/journal-queries.ts";
import type { Blockers } from "../../releases/kind-blockers.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { JournalEntry } from "../../releases/release-journal.ts";
import type { ApplyParts } from "../apply/apply-conditions.ts";
import { blockedReason } from "../check/hold-conditions.ts";
import { untilTried } from "../facts/hold-reason.ts";
import { problemSentence, problemWith } from "../facts/update-sentences.ts";

/** Failures that a network has now and then; they are a problem only when they persist. */
const transient: readonly ErrorCode[] = ["update_server_unreachable", "update_too_slow"];

/** Transient failures in a row before they are a problem. */
const tolerated = 3;

type Parts = Pick<ApplyParts, "options" | "trust" | "watch" | "requests">;

/** The problems of updates, the gravest first. */
export function updateProblems(parts: Parts): UpdateProblem[] {
  const blocked = blockedProblem(parts);
  const found = [
    blocked,
    ineffectiveSetting(parts),
    unreadableJournal(parts),
    ...updateKinds.map((kind) => appliedProblem(parts, kind)),
    // While all updates are blocked, nothing was checked.
    ...(blocked === null
      ? [checkProblem(parts), ...updateKinds.map((kind) => kindProblem(parts.options, kind))]
      : []),
  ];
  return found.filter((problem) => problem !== null).sort(byGravity);
}

/** The contract has them in this order. */
export function byGravity(one: Pick<UpdateProblem, "code">, other: Pick<UpdateProblem, "code">): number {
  return updateProblemCodes.indexOf(one.code) - updateProblemCodes.indexOf(other.code);
}

/** The problem in an entry: the installer refused the release, or the former one is not healthy again. */
export function entryProblem(code: "refused" | "former_not_healthy", entry: JournalEntry): UpdateProblem {
  const { kind, name, version, at, detail, cause } = entry;
  return problemWith(code, { release: { kind, name, version }, reason: reasonOf(detail, cause), at });
}

/** A sentence for each kind whose metadata could not be verified. */
export function blockerSentences(blockers: Blockers): readonly string[] {
  return updateKinds.flatMap((kind) => {
    const blocker = blockers[kind];
    if (blocker === null) return [];
    const reason = reasonOfError({ code: blocker.code, message: blocker.detail });
    return [problemSentence("not_verifiable", { kind, reason })];
  });
}

function blockedProblem(parts: Pick<Parts, "options" | "trust">): UpdateProblem | null {
  const blocked = blockedReason(parts);
  if (blocked === null) return null;
  const { code, detail, reason, facts } = blocked;
  return { ...problemWith(code, { reason, ...(facts && { facts }) }), detail };
}

/** Only a file that was edited by hand says so: the API refuses it. */
function ineffectiveSetting({ options, trust }: Pick<Parts, "options" | "trust">): UpdateProblem | null {
  if (!options.settings().ota.auto_update_binary || trust.isEstablished()) return null;
  return problemWith("automatic_binary_ineffective", { setting: "/update/ota/auto_update_binary" });
}

function unreadableJournal({ watch }: Pick<Parts, "watch">): UpdateProblem | null {
  const reason = watch.unreadable();
  return reason && problemWith("journal_unreadable", { reason });
}

/** A restored release of this kind that is not healthy, or one that could not be applied. */
function appliedProblem(
  { options, watch, requests }: Pick<Parts, "options" | "watch" | "requests">,
  kind: UpdateKind,
): UpdateProblem | null {
  const entry = newestEntry(watch.journal(), kind);
  if (entry?.restored_healthy === false) return entryProblem("former_not_healthy", entry);
  // Once the release is no longer offered, a newer one may be what mends it.
  const offer = options.record.read().available[kind];
  if (offer === null) return null;
  if (entry?.outcome === "refused" && entry.release_id === offer.id) return entryProblem("refused", entry);
  const failure = requests.failures().get(offer.id);
  if (failure === undefined) return null;
  const { name, version } = offer;
  const until = untilTried(failure.until, kind, options.settings().ota)?.toISOString() ?? null;
  const code = failure.code === "refused" ? "refused" : "installer_unavailable";
  return problemWith(code, { release: { kind, name, version }, reason: failure.reason, until });
}

function checkProblem({ options }: Pick<Parts, "options">): UpdateProblem | null {
  const { last_check, failures } = options.record.read();
  if (last_check?.outcome !== "failed") return null;
  const isTransient = transient.some((code) => code === last_check.code);
  if (isTransient && failures < tolerated) return null;
  const code = last_check.code ?? "internal_error";
  const reason = reasonOfError({ code, message: last_check.detail ?? code });
  return problemWith("check_failed", { reason, failures });
}

/** A doubt that only the clock causes goes away with it. */
function kindProblem({ record }: Parts["options"], kind: UpdateKind): UpdateProblem | null {
  const blocker = record.read().blockers?.[kind] ?? null;
  if (blocker === null || blocker.code === "clock_not_synchronised") return null;
  const reason = reasonOfError({ code: blocker.code, message: blocker.detail });
  return problemWith("not_verifiable", { release: { kind, name: null, version: null }, reason });
}
