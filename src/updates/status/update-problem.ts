import type { ErrorCode } from "../../contract/error-codes.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { newestEntry } from "../../releases/journal-queries.ts";
import { type Blocker, blockerSentences, noBlockers } from "../../releases/kind-blockers.ts";
import { blockedReason } from "../apply/apply-conditions.ts";
import { ineffectiveSetting } from "../settings-guard.ts";
import type { UpdateParts } from "../update-parts.ts";
import { outcomeState, refusalSentence } from "./trial-view.ts";

/** Failures that a network has now and then; they are worth a word only when they stay. */
const passing: readonly ErrorCode[] = ["update_server_unreachable", "update_too_slow"];

/** Checks in a row that may fail for such a reason before it is trouble. */
const patience = 3;

/** What a person should know of updates; null when all is well. */
export function troubleOf(
  parts: Pick<UpdateParts, "options" | "trust" | "watch" | "applying">,
): string | null {
  const { options, trust } = parts;
  return (
    blockedReason(parts) ??
    ineffectiveSetting(options.settings().ota, trust.isEstablished()) ??
    troubleOfApplying(parts) ??
    troubleOfChecks(parts) ??
    troubleOfKinds(parts)
  );
}

/** A journal that cannot be read, a device that is not well after an undoing, and what could not be applied. */
function troubleOfApplying({
  options,
  watch,
  applying,
}: Pick<UpdateParts, "options" | "watch" | "applying">): string | null {
  const unreadable = watch.unreadable();
  if (unreadable !== null) return `${unreadable}.`;
  const { available } = options.record.read();
  for (const kind of updateKinds) {
    const entry = newestEntry(watch.journal(), kind);
    if (entry?.restored_healthy === false) return outcomeState({ history: [entry] })?.message ?? null;
    // Of what is still there: a newer one may be what mends it.
    if (entry?.outcome === "refused" && entry.release_id === available[kind]?.id)
      return refusalSentence(entry);
  }
  const [failure] = applying.failures().values();
  return failure ? `An update is not applied: ${failure.text}.` : null;
}

/** A doubt that the clock alone is the reason of goes away with it. */
function troubleOfKinds({ options }: Pick<UpdateParts, "options">): string | null {
  const { rules, binary } = options.record.read().blockers ?? noBlockers;
  const isTrouble = (one: Blocker | null) => (one?.code === "clock_not_synchronised" ? null : one);
  const sentences = blockerSentences({ rules: isTrouble(rules), binary: isTrouble(binary) });
  return sentences.length === 0 ? null : sentences.join(" ");
}

function troubleOfChecks(parts: Pick<UpdateParts, "options">): string | null {
  const { last_check, failures } = parts.options.record.read();
  if (last_check?.outcome !== "failed") return null;
  const isPassing = passing.some((code) => code === last_check.code);
  if (isPassing && failures < patience) return null;
  const count =
    failures > 1 ? `The last ${failures} checks for updates failed` : "The last check for updates failed";
  return `${count}: ${last_check.detail ?? last_check.code}`;
}
