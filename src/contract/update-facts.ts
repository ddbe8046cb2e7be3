import type { outcomeCodes } from "./schemas/update-reasons.ts";
import type {
  HistoryEntry,
  PassedOver,
  ReleaseHold,
  TrustStatus,
  UpdateProblem,
  UpdateReason,
  UpdateSummary,
} from "./types.ts";
import type { HoldCode } from "./updates/update-holds.ts";
import type { UpdateProblemCode, UpdateSummaryCode } from "./updates/update-summaries.ts";

/** Facts of updates as text; empty where there is none. */
export interface SentenceFacts extends NonNullable<ReleaseHold["facts"]> {
  /** The setting that decides it, for a reader who knows settings by their names. */
  readonly setting: string;
  /** The releases, such as `base 1.3.0`. */
  readonly what: string;
  /** When it was, seen from now. */
  readonly when: string;
  /** When it ends, or is tried again. */
  readonly until: string;
  /** The reason in sentences. */
  readonly reason: string;
  readonly kind: "rules" | "binary" | "";
  /** Failed checks, crashes, or restarts. */
  readonly count: number;
}

type Say = (facts: SentenceFacts) => string;

type PassedOverFacts = Pick<PassedOver, "version" | "offered" | "here" | "detail">;

/** Sentences about the problems of updates. A hold or a summary of the same code has the same sentence. */
export type UpdateProblemWords = Readonly<Record<UpdateProblemCode, Say>>;

/** All other sentences about updates, by code. */
export interface UpdateWords {
  readonly holds: Readonly<Record<Exclude<HoldCode, UpdateProblemCode>, Say>>;
  readonly summaries: Readonly<Record<Exclude<UpdateSummaryCode, UpdateProblemCode> | "check_failed", Say>>;
  readonly reasons: Readonly<
    Record<(typeof outcomeCodes)[number], (facts: Pick<SentenceFacts, "count">) => string>
  >;
  /** The end of an attempt, as it follows the release's name. */
  readonly attempts: Readonly<Record<HistoryEntry["outcome"] | "overtaken", string>>;
  /** The reason why a release was not chosen, as it follows the release's name. */
  readonly passedOver: Readonly<Record<PassedOver["code"], (facts: PassedOverFacts) => string>>;
}

/** Sentences about the root of trust that are no summary and no problem. */
export type TrustWords = Readonly<
  Record<Exclude<TrustStatus["code"], "not_installed" | "unusable" | "server_not_set">, Say>
>;

/** A hold, a summary, a problem or a reason, as far as it has facts. */
export interface UpdateFacts {
  readonly releases?: UpdateSummary["releases"] | undefined;
  readonly release?: UpdateProblem["release"] | undefined;
  readonly kind?: UpdateSummary["releases"][number]["kind"] | undefined;
  readonly at?: string | null | undefined;
  readonly until?: string | null | undefined;
  /** A JSON pointer. */
  readonly setting?: string | null | undefined;
  readonly reason?: UpdateReason | null | undefined;
  readonly hold?: ReleaseHold | null | undefined;
  readonly facts?: NonNullable<ReleaseHold["facts"]> | undefined;
  readonly failures?: number | null | undefined;
  readonly count?: number | null | undefined;
}

/** The form in which a reader gets the parts of a sentence about updates. */
export interface UpdateFormat {
  /** A moment within a sentence: `at 2026-11-27T12:00:00.000Z`, `at 14:05`, `on Tuesday`. */
  readonly moment: (at: string) => string;
  /** The same seen from now: `2 hours ago`. */
  readonly fromNow: (at: string) => string;
  /** A setting, by its JSON pointer, in parentheses with a space before; empty for a reader who does not know the names. */
  readonly setting: (pointer: string) => string;
  readonly release: (release: UpdateSummary["releases"][number]) => string;
  readonly reason: (reason: UpdateReason) => string;
  readonly hold: (hold: ReleaseHold) => string;
}

/** The facts of a sentence. A hold says more than the reason that it has. */
export function updateFacts(known: UpdateFacts, format: UpdateFormat): SentenceFacts {
  const { release, releases = release ? [release] : [], at, until, setting, reason, hold, facts } = known;
  return {
    ...facts,
    setting: setting ? format.setting(setting) : "",
    what: releases.map(format.release).join(", "),
    when: at ? format.fromNow(at) : "",
    until: until ? format.moment(until) : "",
    reason: hold ? format.hold(hold) : reason ? format.reason(reason) : "",
    kind: known.kind ?? releases[0]?.kind ?? "",
    count: known.failures ?? known.count ?? 0,
  };
}

/** A sentence without the gaps that empty facts leave. */
export function sentence<Facts>(say: (facts: Facts) => string, facts: Facts): string {
  return say(facts).replace(/ +/g, " ").trim();
}

/** The text with a full stop, if it does not end in one. */
export function fullSentence(text: string): string {
  return text === "" || /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** `base 1.3.0`; empty: it has no name. */
export function releaseName({
  name,
  version,
}: {
  readonly name: string | null;
  readonly version: string | null;
}): string {
  return [name, version].filter((part) => part !== null).join(" ");
}

/** The end of an attempt, in words that follow the release's name. A release that a package overtook is not held. */
export function attemptWords(words: UpdateWords["attempts"], { outcome, reason }: HistoryEntry): string {
  return words[reason.code === "overtaken" ? "overtaken" : outcome];
}
