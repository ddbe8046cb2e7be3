import type { AuditEvent, Need } from "../../contract/types.ts";
import type { NeedFacts, NeedWords } from "../catalogue/languages/en/base/home.ts";
import { locale, t } from "../catalogue/words.ts";
import type { Sentence } from "../ui/by-code.ts";
import { brief, visible } from "../ui/visible.ts";
import { healthSentence } from "../ui/words/health-words.ts";

/** A need as people read it. */
interface NeedInWords {
  readonly title: string;
  readonly text: Sentence;
  readonly button: string;
}

/** null: it is a need of a newer agent, for which the agent's own sentence is shown. */
export function needInWords(need: Need): NeedInWords | null {
  if (!Object.hasOwn(t.home.needs, need.code)) return null;
  const words: NeedWords = t.home.needs[need.code];
  const cause = causeOf(need);
  const facts = factsOf(need, cause.text);
  const text = words.text(facts);
  return {
    title: words.title(facts),
    // A sentence in the agent's English stays marked as such.
    text: { text, isAgents: cause.isAgents && text === cause.text },
    button: words.button,
  };
}

/** The title of the need that an event is about; empty: it is about none. */
export function toldNeedTitle(details: AuditEvent["details"]): string {
  const { need, level = "attention", ...facts } = details as { need?: Need["code"]; level?: Need["level"] };
  if (need === undefined) return "";
  return needInWords({ code: need, level, facts, detail: "", remedy: null })?.title ?? need;
}

/** The finding of the health check that the need comes from, if it comes from one. */
function causeOf({ facts, detail }: Need): Sentence {
  const { check, reason, ...rest } = facts as { check?: string; reason?: string };
  if (check === undefined || reason === undefined) return { text: "", isAgents: false };
  return healthSentence({ name: check, status: "degraded", code: reason, detail, facts: rest } as Parameters<
    typeof healthSentence
  >[0]);
}

/** Members of `facts` by the codes that have them. */
interface Given {
  readonly name?: string;
  readonly version?: string;
  readonly users?: readonly string[];
  readonly count?: number;
  readonly first_ends_at?: string;
  readonly support_until?: string;
  readonly hostname?: string;
  readonly missing?: string;
  readonly reason?: string;
  readonly word?: string;
  readonly trust?: string;
}

function factsOf({ facts }: Need, cause: string): NeedFacts {
  const {
    name,
    version,
    users = [],
    count = 0,
    first_ends_at,
    support_until,
    hostname,
    missing = "",
    reason = "",
    word = "",
    trust = "",
  } = facts as Given;
  const when = first_ends_at ?? support_until;
  return {
    what: visible(
      hostname ??
        ([name, version]
          .map((part) => brief(part ?? ""))
          .join(" ")
          .trim() ||
          shortList(users)),
    ),
    count,
    missing,
    ...{ reason, word, trust },
    when: when === undefined ? "" : new Date(when).toLocaleDateString(locale, { dateStyle: "long" }),
    cause,
  };
}

/** Names that are listed; the rest is counted. */
const mostNames = 3;

function shortList(names: readonly string[]): string {
  const rest = names.length - mostNames;
  const shown = names.slice(0, mostNames);
  return new Intl.ListFormat(locale).format([...shown, ...(rest > 0 ? [`+${rest}`] : [])]);
}
