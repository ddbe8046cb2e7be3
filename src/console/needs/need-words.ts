import type { AuditEvent, Finding, Need } from "../../contract/types.ts";
import { type GivenFacts, type NeedWords, needFacts } from "../../contract/words/needs.ts";
import { pageFormat } from "../catalogue/formats.ts";
import { t, wordFor } from "../catalogue/words.ts";
import type { Sentence } from "../ui/by-code.ts";
import { brief, visible } from "../ui/visible.ts";
import { healthSentence } from "../ui/words/health-words.ts";
import { releaseName } from "../ui/words/update-format.ts";

interface NeedInWords {
  readonly title: string;
  readonly text: Sentence;
  /** True: the text is the sentence of a finding, whose words may be on their way (`NeedText`). */
  readonly isFinding: boolean;
  readonly button: string;
}

/** null: it is a need of a newer agent, for which the agent's own sentence is shown. */
export function needInWords(need: Need, format = pageFormat): NeedInWords | null {
  const { code, detail, facts } = need;
  const words = wordFor<NeedWords[Need["code"]]>(t.home.needs, code);
  if (words === undefined) return null;
  const { title, text } = words;
  const { kind = "", name, version } = facts as GivenFacts;
  const called = name && releaseName({ kind, name: brief(name), version: null });
  const short = { ...facts, name: called, version: version && brief(version) };
  const told = needFacts(short, format);
  const isFinding = text === undefined || told.reason !== "";
  return {
    title: visible(title(told)),
    text: isFinding
      ? healthSentence({ code: told.reason || code, detail, facts } as Finding, format)
      : { text: visible(text(told)), isAgents: false },
    isFinding,
    button: wordFor(t.home.needButtons, "page" in facts ? "page" : code) ?? t.home.needButtons.part,
  };
}

/** The title of the need that an event is about; empty: it is about none. */
export function needTitleOf(details: AuditEvent["details"]): string {
  const { need, level = "attention", ...facts } = details as { need?: Need["code"]; level?: Need["level"] };
  if (need === undefined) return "";
  return needInWords({ code: need, level, facts, detail: "", remedy: null })?.title ?? need;
}
