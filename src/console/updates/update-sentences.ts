import type {
  HistoryEntry,
  PassedOver,
  Release,
  ReleaseHold,
  TrustStatus,
  UpdateReason,
  UpdateSummary,
  Updates,
} from "../../contract/types.ts";
import { relativeTime } from "../catalogue/formats.ts";
import { language, t } from "../catalogue/words.ts";
import { deviceNow } from "../client/device-time.ts";
import { problemName, type Sentence, sentenceOf } from "../ui/by-code.ts";
import { visible } from "../ui/visible.ts";
import { momentPhrase } from "./moments.ts";

/** Still to come, by the device's clock. */
export function isAhead(at: string): boolean {
  return Date.parse(at) > deviceNow();
}

/** A time of the device's, as people say it. */
export function fromNow(at: string): string {
  return relativeTime((Date.parse(at) - deviceNow()) / 1_000);
}

/** `base 1.3.0`, as the person sees it. */
export function releaseName({ name, version }: { name: string | null; version: string | null }): string {
  const known = [name, version].filter((part) => part !== null);
  return known.length === 0 ? t.updates.what : visible(known.join(" "));
}

/** Why a release is not applied automatically. */
export function holdSentence(hold: ReleaseHold): Sentence {
  const { reason, until } = hold;
  const when = until === null ? "" : momentPhrase(until);
  return quoting(sentenceOf(t.updates.hold, hold, { ...nothing, when, reason: reasonText(reason) }), reason);
}

/** Why an attempt ended as it did, or what failed. */
export function reasonSentence(reason: UpdateReason): Sentence {
  const name = problemName(reason.code);
  if (name !== null) return language === "en" ? agents(reason.detail) : quoting(own(`${name}.`), reason);
  return quoting(sentenceOf(t.updates.reasons, reason, { ...nothing, count: reason.count ?? 0 }), reason);
}

/** How updates are. */
export function summarySentence(summary: UpdateSummary): Sentence {
  const { releases, at, hold } = summary;
  const reason = hold === null ? summary.reason : hold.reason;
  const sentence = sentenceOf(t.updates.summary, summary, {
    ...nothing,
    what: releases.map(releaseName).join(", ") || t.updates.what,
    when: at === null ? "" : fromNow(at),
    reason: hold === null ? reasonText(reason) : holdSentence(hold).text,
  });
  return quoting(sentence, reason);
}

/** The sentence with the particulars that only the agent's own words have: an error's in full, or the last health check. */
function quoting(sentence: Sentence, reason: UpdateReason | null): Sentence {
  if (reason === null || sentence.isAgents) return sentence;
  const isError = problemName(reason.code) !== null;
  const quote = isError ? (language === "en" ? null : reason.detail) : reason.last_answer;
  return quote === null ? sentence : { ...sentence, quote };
}

/** How an attempt has ended, in short. */
export function endWords(entry: HistoryEntry): string {
  return `${releaseName(entry)}: ${t.updates.outcomes[entry.outcome]}`;
}

/** Why a check failed. */
export function checkFailure(code: string | null, detail: string): Sentence {
  const name = problemName(code ?? "");
  if (name === null || language === "en") return agents(detail);
  return { ...own(`${name}.`), quote: detail };
}

/** How an attempt ended that did not stay, in a sentence. */
export function attemptSentence({ outcome, version, at, name }: HistoryEntry): string {
  return t.updates.attempts[outcome](visible(version ?? name ?? t.updates.what), momentPhrase(at));
}

/** Why nothing of one kind can be verified; null: it can. */
export function blockerSentence(
  blocker: NonNullable<Updates["blockers"]>["rules"] | undefined,
): Sentence | null {
  if (!blocker) return null;
  return {
    ...own(t.updates.notVerified(`${problemName(blocker.code) ?? blocker.code}.`)),
    quote: blocker.detail,
  };
}

/** Of what was found and not chosen, what a person may have expected. */
const expected: readonly PassedOver["code"][] = [
  "withdrawn",
  "needs_newer_agent",
  "below_floor",
  "unreadable",
];

/** Releases of one kind that a person may expect, and why they are not for this device. */
export function passedOverSentences({ passed_over = [] }: Updates, kind: Release["kind"]): readonly string[] {
  return passed_over
    .filter((one) => one.kind === kind && expected.includes(one.code))
    .map((one) => passedOverSentence(one));
}

/** Why a release that was found was not chosen. */
export function passedOverSentence({ code, version, name, path, offered, here, detail }: PassedOver): string {
  const facts = { offered: offered ?? "", here: here ?? "", detail: detail ?? "" };
  const words: Readonly<Record<string, (version: string, told: typeof facts) => string>> =
    t.updates.passedOver;
  const what = [name, version].filter(Boolean).join(" ") || path;
  return visible(words[code]?.(what, facts) ?? what);
}

/** Why the installed root of trust cannot be used. */
export function unusableTrust({ reason, detail }: TrustStatus): Sentence {
  return quoting(
    own(t.updates.hold.trust_unusable({ ...nothing, reason: reason ? reasonText(reason) : detail })),
    reason,
  );
}

const nothing = { what: "", when: "", reason: "", count: 0 } as const;

function reasonText(reason: UpdateReason | null): string {
  return reason === null ? "" : reasonSentence(reason).text;
}

function own(text: string): Sentence {
  return { text, isAgents: false };
}

function agents(text: string): Sentence {
  return { text, isAgents: true };
}
