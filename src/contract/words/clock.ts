import type { FindingCode } from "../findings.ts";
import type { ClockConflict, ClockSummary, TimeSource } from "../types.ts";
import type { Format } from "./format.ts";

type ConflictCode = ClockConflict["code"];
type TroubleCode = NonNullable<ClockSummary["daemon_trouble"]>["code"];
export type SourceReason = NonNullable<TimeSource["reason"]>;

/** The facts of sentences about the clock; each code has some of them. */
export interface ClockFacts {
  readonly offset_seconds?: number | null;
  readonly measured_at?: string | null;
  readonly agreeing?: number | null;
  readonly needed?: number | null;
  readonly configured?: number | null;
  readonly server?: string | null;
  readonly daemon?: string | null;
  readonly step_seconds?: number | null;
  readonly frequency_ppm?: number | null;
  /** The system's error, or the daemon's answer. */
  readonly cause?: string | null;
  /** False in mode manual, where no source is asked. */
  readonly isMeasured?: boolean;
}

export type ClockSentence = (facts: ClockFacts, format: Format) => string;

/** Codes of a summary that are findings as well, in the same words. */
const findingOf = {
  no_time_source: "clock_no_time_source",
  no_majority: "clock_no_majority",
  too_few: "clock_too_few_agree",
  too_few_authenticated: "clock_too_few_authenticated",
  suspect: "clock_server_suspect",
  panic_threshold: "clock_panic_threshold",
  below_floor: "clock_below_floor",
  beyond_ceiling: "clock_beyond_ceiling",
} as const satisfies { readonly [Code in ClockSummary["code"]]?: FindingCode };

type CodeOfFinding = keyof typeof findingOf;

type SummaryFindings = Readonly<Record<(typeof findingOf)[CodeOfFinding], ClockSentence>>;

export interface ClockWords {
  /** The state of the clock, and what to do about it, where it is no finding. */
  readonly summary: Readonly<Record<Exclude<ClockSummary["code"], CodeOfFinding>, ClockSentence>>;
  /** The other program that sets or changed the clock. */
  readonly conflicts: Readonly<Record<ConflictCode, ClockSentence>>;
  readonly conflictAdvice: Readonly<Record<ConflictCode, ClockSentence>>;
  /** `runs_on`: the clock runs without its sources. `votes`: the numbers behind a time that is accepted, not trusted. */
  readonly remarks: Readonly<Record<"runs_on" | "votes", ClockSentence>>;
  /** The reasons why less is known of a daemon than could be. */
  readonly daemonTroubles: Readonly<Record<TroubleCode, ClockSentence>>;
  /** The reasons why the host's own clock is not set, and its offset. */
  readonly notSet: Readonly<Record<NonNullable<ClockSummary["not_set"]>["code"], ClockSentence>>;
}

/** Says one code by a table of sentences; `detail` is the agent's own sentence, for a reader without words for the code. */
export type SayClock<Said> = (
  table: Readonly<Record<string, ClockSentence>>,
  coded: { readonly code: string; readonly detail: string },
  facts: ClockFacts,
) => Said;

/** The sentences of a summary: what comes first, and what there is to say besides. */
export function clockSentences<Said>(
  words: ClockWords & { readonly findings: SummaryFindings },
  { summary, conflict }: { readonly summary: ClockSummary; readonly conflict: ClockConflict | null },
  say: SayClock<Said>,
): { readonly main: readonly Said[]; readonly more: readonly Said[] } {
  const { code, detail, runs_on, configured, daemon, daemon_trouble, not_set } = summary;
  const remark = (name: keyof ClockWords["remarks"]): Said =>
    say(words.remarks, { code: name, detail: "" }, summary);
  return {
    main:
      code === "conflict" && conflict
        ? [words.conflicts, words.conflictAdvice].map((table) => say(table, conflict, conflict))
        : [
            inFindings(code)
              ? say(words.findings, { code: findingOf[code], detail }, summary)
              : say(words.summary, summary, summary),
          ],
    more: [
      ...(runs_on ? [remark("runs_on")] : []),
      ...(configured === null || code === "too_few_authenticated" ? [] : [remark("votes")]),
      ...(daemon_trouble ? [say(words.daemonTroubles, daemon_trouble, { ...daemon_trouble, daemon })] : []),
      ...(not_set ? [say(words.notSet, not_set, { ...not_set, isMeasured: code !== "manual" })] : []),
    ],
  };
}

function inFindings(code: string): code is CodeOfFinding {
  return Object.hasOwn(findingOf, code);
}

export interface SourceWords {
  readonly reasons: Readonly<Record<SourceReason["code"], string>>;
  /** Only the last poll of the source failed, and it is still used. */
  readonly atLastPoll: (reason: string) => string;
}

/** Reasons of the vote, which no single poll has. */
const ofTheVote: readonly string[] = ["too_few_agree", "no_majority"] satisfies SourceReason["code"][];

/** The reason for the state of a source, in a few words; undefined: the code is of a newer agent. */
export function sourceReasonWords(
  { reasons, atLastPoll }: SourceWords,
  { code, cause }: Pick<SourceReason, "code" | "cause">,
  state: TimeSource["state"] | null,
): string | undefined {
  if (!Object.hasOwn(reasons, code)) return undefined;
  const words = cause === null ? reasons[code] : `${reasons[code]} (${cause})`;
  const isStillUsed = state === "selected" || state === "candidate";
  return isStillUsed && !ofTheVote.includes(code) ? atLastPoll(words) : words;
}

/** The program that asks a time daemon for its state. */
export function toolOf(daemon: string | null | undefined): string {
  return daemon === "chronyd" ? "chronyc" : "timedatectl show-timesync";
}
