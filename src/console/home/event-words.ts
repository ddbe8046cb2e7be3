import type { EventSentenceFacts } from "../../contract/events/row.ts";
import type { AuditEvent } from "../../contract/types.ts";
import { pageFormat, shortDuration } from "../catalogue/formats.ts";
import { t, wordFor } from "../catalogue/words.ts";
import { needTitleOf } from "../needs/need-words.ts";
import { visible } from "../ui/visible.ts";
import { releaseName } from "../ui/words/update-format.ts";

/** Puts events into sentences, the newest first; repeats are counted, with number and time of the newest of them. */
export function eventLines(events: readonly AuditEvent[]) {
  const runs: { event: AuditEvent; text: string; count: number }[] = [];
  for (const event of events) {
    const text = eventSentence(event);
    const last = runs.at(-1);
    if (last?.text === text) last.count += event.count;
    else runs.push({ event, text, count: event.count });
  }
  return runs.map(({ event: { seq, time, code }, text, count }) => ({
    ...{ seq, time, code },
    text: count > 1 ? `${text} · ${count} ×` : text,
  }));
}

/** An event in a sentence; a newer agent may have types that this page does not know, which are named as they are. */
export function eventSentence(event: AuditEvent): string {
  const sentence = wordFor<(facts: EventSentenceFacts) => string>(t.home.happened, event.type);
  return sentence?.(factsOf(event)) ?? event.type;
}

function factsOf({ actor, subject, details, code }: AuditEvent): EventSentenceFacts {
  const facts = details as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof facts[name] === "string" ? named(facts[name]) : "");
  const seconds = facts.seconds ?? facts.offset_seconds;
  return {
    who: actor.name === null ? t.home.actors[actor.kind] : named(actor.name),
    code: code ?? "",
    about: subject === null ? "" : named(subject.name),
    release: releaseName({ kind: text("kind"), name: text("name"), version: text("version") }),
    span: typeof seconds === "number" ? shortDuration(Math.abs(seconds)) : "",
    to:
      needTitleOf(details) ||
      text("to") ||
      text("source") ||
      text("host_name") ||
      text("for") ||
      text("role") ||
      named(pageFormat.said(details)),
  };
}

/** A name from outside within a sentence; one that is not plain Latin cannot turn the rest of it round. */
function named(name: string): string {
  const shown = visible(name);
  return /[^\u0020-\u024f]/.test(shown) ? `\u2068${shown}\u2069` : shown;
}
