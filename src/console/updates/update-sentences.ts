import type { ReleaseHold, TrustStatus, UpdateReason, UpdateSummary } from "../../contract/types.ts";
import { relativeTime } from "../catalogue/formats.ts";
import { language, t } from "../catalogue/words.ts";
import { problemName, type Sentence, sentenceOf } from "../ui/by-code.ts";
import { deviceNow } from "../ui/device-time.ts";
import { visible } from "../ui/visible.ts";

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
  return sentenceOf(t.updates.hold, hold, {
    ...nothing,
    when: hold.until === null ? "" : fromNow(hold.until),
    reason: reasonText(hold.reason),
  });
}

/** Why an attempt ended as it did, or what failed. */
export function reasonSentence(reason: UpdateReason): Sentence {
  const name = problemName(reason.code);
  // What failed has its particulars in the agent's sentence, which is English.
  if (name !== null) return language === "en" ? agents(reason.detail) : own(`${name}.`);
  return sentenceOf(t.updates.reasons, reason, { ...nothing, count: reason.count ?? 0 });
}

/** How updates are. */
export function summarySentence(summary: UpdateSummary): Sentence {
  const { releases, at, reason, hold } = summary;
  return sentenceOf(t.updates.summary, summary, {
    ...nothing,
    what: releases.map(releaseName).join(", ") || t.updates.what,
    when: at === null ? "" : fromNow(at),
    reason: hold === null ? reasonText(reason) : holdSentence(hold).text,
  });
}

/** Why the installed root of trust cannot be used. */
export function unusableTrust({ reason, detail }: TrustStatus): Sentence {
  return own(t.updates.hold.trust_unusable({ ...nothing, reason: reason ? reasonText(reason) : detail }));
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
