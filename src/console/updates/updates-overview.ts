import type { ErrorCode } from "../../contract/error-codes.ts";
import type { Need, UpdateProgress, Updates } from "../../contract/types.ts";
import {
  type UpdateRemedy,
  type UpdateSummaryCode,
  updateSummaries,
} from "../../contract/updates/update-summaries.ts";
import { t } from "../catalogue/words.ts";
import { howIs } from "../needs/how.ts";
import type { State } from "../ui/badge.tsx";
import type { Sentence } from "../ui/by-code.ts";
import { updatesSentence } from "../ui/words/health-words.ts";
import { fromNow } from "../ui/words/update-format.ts";
import { dueWords, summarySentence } from "./update-sentences.ts";

export interface UpdatesOverview {
  readonly state: State;
  readonly sentences: readonly Sentence[];
  readonly remedy: UpdateRemedy;
}

/** A block of all updates first, then a failed request, then the last check. The needs decide the colour. */
export function overviewOf(
  status: Updates,
  progress: UpdateProgress | null,
  needs: readonly Need[] | null,
): UpdatesOverview {
  const { state, sentences, remedy } = overviewWithoutNeeds(status, progress);
  const isCalm = state === "good" ? state : "unknown";
  const how = howIs("updates", needs, { state: isCalm, word: "" });
  const named = how.reason !== null && state === "good" ? [own(`${how.reason}.`)] : [];
  return { state: how.state, sentences: [...named, ...sentences], remedy };
}

function overviewWithoutNeeds(
  { state, summary, schedule, trust }: Updates,
  progress: UpdateProgress | null,
): UpdatesOverview {
  const { last_check } = schedule;
  if (progress?.phase === "checking") return summed({ ...summary, code: "checking" }, "unknown", null);
  if (state === "blocked") return summed(summary, "wrong");
  const { code, ...step } = trust.status;
  if (code === "not_installed" || code === "unusable")
    return summed({ ...summary, ...step, code: `trust_${code}`, hold: null }, "attention");
  if (last_check === null) return summed(summary, "attention");
  if (summary.problem !== null)
    return { state: "wrong", sentences: [updatesSentence(summary.problem)], remedy: "logs" };
  return overviewOfCheck(schedule, last_check);
}

function overviewOfCheck(
  { next_check_at, enabled, failures }: Updates["schedule"],
  { outcome, at, code, detail }: NonNullable<Updates["schedule"]["last_check"]>,
): UpdatesOverview {
  const facts = { at, detail: detail ?? "", hold: null, reason: null };
  if (outcome === "waiting_for_clock")
    return summed({ ...facts, code: "check_waiting_for_clock" }, "attention");
  const next = !enabled ? t.updates.notScheduledNext : t.updates.nextCheckComes(dueWords(next_check_at));
  const isGood = outcome === "ok";
  const reason = code === null ? null : { code, detail: facts.detail, count: null, last_answer: null };
  const sentence = isGood
    ? own(t.updates.checked(fromNow(at)))
    : summarySentence({ ...facts, code: "check_failed", reason, failures });
  return {
    state: isGood ? "good" : "attention",
    sentences: [sentence, own(next)],
    remedy: isGood ? null : checkRemedy(code),
  };
}

function summed(
  summary: Parameters<typeof summarySentence>[0],
  state: State,
  remedy: UpdateRemedy = remedyOf(summary.code),
): UpdatesOverview {
  return { state, sentences: [summarySentence(summary)], remedy };
}

/** For a check that failed, where asking again is not what helps. */
const checkRemedies: Partial<Record<ErrorCode, UpdateRemedy>> = {
  update_server_refused: "settings",
  update_not_configured: "settings",
  update_root_unusable: null,
  update_trust_not_established: "trust",
  update_signature_invalid: "trust",
  clock_not_synchronised: "clock",
};

export function checkRemedy(code: string | null): UpdateRemedy {
  return checkRemedies[code as ErrorCode] ?? "check";
}

/** A summary of a newer agent's may have no remedy here. */
export function remedyOf(code: string): UpdateRemedy {
  return Object.hasOwn(updateSummaries, code) ? updateSummaries[code as UpdateSummaryCode].remedy : null;
}

function own(text: string): Sentence {
  return { text, isAgents: false };
}
