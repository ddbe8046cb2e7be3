import type { ErrorCode } from "../../contract/error-codes.ts";
import type { UpdateProblem } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { newestEntry } from "../../releases/journal-queries.ts";
import { type Blockers, noBlockers } from "../../releases/kind-blockers.ts";
import { reasonOf, reasonOfError } from "../../releases/outcome-reasons.ts";
import type { JournalEntry } from "../../releases/release-journal.ts";
import { blockedReason } from "../check/hold-conditions.ts";
import { problemWith } from "../facts/problem.ts";
import { problemSentence } from "../facts/update-sentences.ts";
import type { UpdateParts } from "./update-parts.ts";

/** Failures that a network has now and then; they are a problem only when they persist. */
const transient: readonly ErrorCode[] = ["update_server_unreachable", "update_too_slow"];

/** Transient failures in a row before they are a problem. */
const tolerated = 3;

type Parts = Pick<UpdateParts, "options" | "trust" | "watch" | "requests">;

/** The problem of updates; null: none. */
export function updateProblem(parts: Parts): UpdateProblem | null {
  return (
    blockedProblem(parts) ??
    ineffectiveSetting(parts) ??
    applyingProblem(parts) ??
    checkProblem(parts) ??
    kindProblem(parts.options)
  );
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

/** A journal that cannot be read, a restored release that is not healthy, and what could not be applied. */
function applyingProblem({
  options,
  watch,
  requests,
}: Pick<Parts, "options" | "watch" | "requests">): UpdateProblem | null {
  const unreadable = watch.unreadable();
  if (unreadable !== null) return problemWith("journal_unreadable", { reason: unreadable });
  const { available } = options.record.read();
  for (const kind of updateKinds) {
    const entry = newestEntry(watch.journal(), kind);
    if (entry?.restored_healthy === false) return entryProblem("former_not_healthy", entry);
    // Once the release is no longer offered, a newer one may be what mends it.
    if (entry?.outcome === "refused" && entry.release_id === available[kind]?.id)
      return entryProblem("refused", entry);
  }
  const [failure] = requests.failures().values();
  if (failure === undefined) return null;
  const facts = { reason: failure.reason, until: failure.until?.toISOString() ?? null };
  const code = failure.code === "refused" ? "refused" : "installer_unavailable";
  return problemWith(code, facts);
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
function kindProblem({ record }: Parts["options"]): UpdateProblem | null {
  const blockers = record.read().blockers ?? noBlockers;
  const isProblem = (kind: "rules" | "binary") => blockers[kind]?.code !== "clock_not_synchronised";
  const kept = {
    rules: isProblem("rules") ? blockers.rules : null,
    binary: isProblem("binary") ? blockers.binary : null,
  };
  const first = updateKinds.find((kind) => kept[kind] !== null);
  const blocker = first && kept[first];
  if (!first || !blocker) return null;
  const reason = reasonOfError({ code: blocker.code, message: blocker.detail });
  const release = { kind: first, name: null, version: null };
  return { ...problemWith("not_verifiable", { release, reason }), detail: blockerSentences(kept).join(" ") };
}
