import type { Need, UpdateProgress, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { howIs } from "../needs/how.ts";
import type { State } from "../ui/badge.tsx";
import type { Sentence } from "../ui/by-code.ts";
import { updatesSentence } from "../ui/health-words.ts";
import { checkRemedy, type Remedy, summaryRemedy } from "./remedies.ts";
import { checkFailure, fromNow, reasonSentence, summarySentence } from "./update-sentences.ts";

/** How updates are as a whole. */
export interface Whole {
  readonly state: State;
  readonly sentences: readonly Sentence[];
  readonly remedy: Remedy;
}

/**
 * What stops all updates comes first, then what went wrong with a request, then how the last check ended; the colour is
 * that of the needs, and one that the sentences do not tell of is named before them.
 */
export function wholeOf(
  status: Updates,
  progress: UpdateProgress | null,
  needs: readonly Need[] | null,
): Whole {
  const { state, sentences, remedy } = toldOf(status, progress);
  const isCalm = state === "good" ? state : "unknown";
  const how = howIs("updates", needs, { state: isCalm, word: "" });
  const named = how.reason !== null && state === "good" ? [own(`${how.reason}.`)] : [];
  return { state: how.state, sentences: [...named, ...sentences], remedy };
}

function toldOf(status: Updates, progress: UpdateProgress | null): Whole {
  const { summary, schedule } = status;
  const { problem } = summary;
  if (status.state === "blocked" || schedule.last_check === null) return wholeOfSummary(status, progress);
  if (progress?.phase === "checking") return whole("unknown", [t.updates.summary.checking()]);
  if (problem !== null) {
    const why = problem.reason === null ? [] : [reasonSentence(problem.reason)];
    return { state: "wrong", sentences: [updatesSentence(problem), ...why], remedy: "logs" };
  }
  return wholeOfCheck(schedule);
}

function wholeOfSummary({ state, summary }: Updates, progress: UpdateProgress | null): Whole {
  if (progress?.phase === "checking") return whole("unknown", [t.updates.summary.checking()]);
  const sentence = summarySentence(summary);
  const remedy = summaryRemedy(summary.code);
  return { state: state === "blocked" ? "wrong" : "attention", sentences: [sentence], remedy };
}

function wholeOfCheck({ last_check, next_check_at, enabled, failures }: Updates["schedule"]): Whole {
  if (last_check?.outcome === "waiting_for_clock")
    return whole("attention", [t.updates.summary.check_waiting_for_clock()], "clock");
  const when = fromNow(last_check?.at ?? "");
  const next = !enabled
    ? t.updates.notScheduledNext
    : next_check_at === null
      ? ""
      : t.updates.nextCheckComes(fromNow(next_check_at));
  if (last_check?.outcome === "ok") return whole("good", [t.updates.checked(when), next]);
  const { code = null, detail = null } = last_check ?? {};
  const why = checkFailure(code, detail ?? "");
  const often = failures > 1 ? t.updates.failures(failures) : "";
  const words = t.updates.checkFailed(when, often);
  return {
    state: "attention",
    sentences: [own(words), why, own(next)],
    remedy: checkRemedy(code),
  };
}

function whole(state: State, texts: readonly string[], remedy: Remedy = null): Whole {
  return { state, sentences: texts.filter(Boolean).map(own), remedy };
}

function own(text: string): Sentence {
  return { text, isAgents: false };
}
