import type { ClockConflict, ClockSummary, TimeSource } from "../../contract/types.ts";
import {
  type ClockFacts,
  type ClockSentence,
  clockSentences,
  type SourceReason,
  sourceReasonWords,
} from "../../contract/words/clock.ts";
import { clockFindings, clockWords, sourceWords } from "../../contract/words/en/clock.ts";
import { terminalFormat } from "../../contract/words/format.ts";

type WithoutDetail<T> = Omit<T, "detail">;
type NotSet = NonNullable<ClockSummary["not_set"]>;
type DaemonTrouble = NonNullable<ClockSummary["daemon_trouble"]>;

/** Adds the sentence for the code, with facts beside its own. */
function withDetail<Coded extends { readonly code: string } & ClockFacts>(
  table: Readonly<Record<Coded["code"], ClockSentence>>,
  coded: Coded,
  more: ClockFacts = {},
): Coded & { readonly detail: string } {
  return { ...coded, detail: table[coded.code as Coded["code"]]({ ...coded, ...more }, terminalFormat) };
}

export function troubleWithDetail(trouble: WithoutDetail<DaemonTrouble>, daemon: string): DaemonTrouble {
  return withDetail(clockWords.daemonTroubles, trouble, { daemon });
}

/** `isMeasured` false: in mode manual no source is asked. */
export function notSetWithDetail(notSet: WithoutDetail<NotSet>, isMeasured: boolean): NotSet {
  return withDetail(clockWords.notSet, notSet, { isMeasured });
}

export function summaryWithDetail(
  facts: WithoutDetail<ClockSummary>,
  conflict: ClockConflict | null,
): ClockSummary {
  const summary = { ...facts, detail: "" };
  const { main, more } = clockSentences(
    { ...clockWords, findings: clockFindings },
    { summary, conflict },
    (table, { code }, given) => table[code]?.(given, terminalFormat) ?? "",
  );
  return { ...summary, detail: [...main, ...more].join(" ") };
}

/** `state`: of the source, which may still be used after a failed poll; null: it has none. */
export function reasonWithDetail(
  reason: WithoutDetail<SourceReason>,
  state: TimeSource["state"] | null,
): SourceReason {
  return { ...reason, detail: sourceReasonWords(sourceWords, reason, state) ?? reason.code };
}
