import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleEntry, exampleHold } from "../../lab/command-line/example-updates.ts";
import { outcomeSentence as outcomeOfAttempt } from "../../src/cli/updates/update-words.ts";
import * as deBase from "../../src/console/catalogue/languages/de/base.ts";
import * as deUpdates from "../../src/console/catalogue/languages/de/updates.ts";
import * as enBase from "../../src/console/catalogue/languages/en/base.ts";
import * as enUpdates from "../../src/console/catalogue/languages/en/updates.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import type { Sentence } from "../../src/console/ui/by-code.ts";
import { updatesSentence } from "../../src/console/ui/words/health-words.ts";
import { reasonSentence } from "../../src/console/ui/words/update-format.ts";
import {
  attemptSentence,
  blockerSentence,
  holdSentence,
  passedOverSentence,
  summarySentence,
} from "../../src/console/updates/update-sentences.ts";
import { passedOverCodes } from "../../src/contract/schemas/update-passed-over.ts";
import { outcomeCodes, summaryCodes, updateProblemCodes } from "../../src/contract/schemas/update-reasons.ts";
import type { HistoryEntry, PassedOver, UpdateReason } from "../../src/contract/types.ts";
import { fullSentence } from "../../src/contract/update-facts.ts";
import { holdCodes } from "../../src/contract/updates/update-holds.ts";
import { outcomeCause, outcomeSentence } from "../../src/releases/outcome-reasons.ts";
import { passedOverWords } from "../../src/releases/passed-over.ts";
import * as agent from "../../src/updates/facts/update-sentences.ts";

const texts = { en: { ...enBase, ...enUpdates }, de: { ...deBase, ...deUpdates } } as const;

/** As the agent writes them, and as a page of this moment does. */
const [past, coming] = ["2020-01-02T03:04:05.000Z", "2199-01-02T03:04:05.000Z"];

const reason: UpdateReason = {
  ...{ code: "update_server_refused", detail: "The server updates.example answered 503." },
  ...{ count: null, last_answer: null },
};
const release = { kind: "rules", name: "base", version: "1.3.0" } as const;
const channels = { channel: "beta", allowed_channels: ["stable", "old"] };
const factsOf = (code: string) => (code === "busy" ? { in_progress: "base is on trial" } : channels);
const counts = { count: 3, last_answer: null };

/** All that a sentence of the kind can be given. */
const held = { until: coming, reason, setting: null, kind: "rules" } as const;
const troubled = { release, reason, at: past, until: coming, failures: 3, facts: channels } as const;
const summary = { releases: [release], at: past, reason, hold: null };

const attempt = (end: HistoryEntry["outcome"] | "overtaken"): HistoryEntry => ({
  ...{ ...exampleEntry, at: past, outcome: end === "overtaken" ? "aborted" : end },
  reason: { ...reason, code: end === "overtaken" ? end : "unrecorded", detail: "WHY" },
});

const passedOver = (code: PassedOver["code"]): PassedOver => ({
  ...{ code, ...release, path: "stable/rules/base-1.3.0.tar.gz", offered: "beta", here: "arm64" },
  detail: code === "withdrawn" ? "It eats data." : null,
});

const own = (text: string): Sentence => ({ text, isAgents: false });

const times =
  /\b(at 20\d\d-\S+?Z|at 2199-\S+?Z|on \d+ Jan \d+|on Jan \d+, \d+|on [\d/]+|[\d,]+ years ago|in [\d,]+ years)/g;

/** Both name times and releases in their own way, and only the agent names settings. */
const withoutForms = (text: string): string =>
  text
    .replace(/ \(update\.[a-z_.]+\)/g, "")
    .replace(times, "WHEN")
    .replace(/\b(base|Rules) 1\.3\.0/g, "RELEASE");

/** Subjects with their codes, and the sentences of the agent and of a page about one. */
const lists: readonly (readonly [
  string,
  codes: readonly string[],
  ofAgent: (code: never) => string,
  ofPage: (code: never) => Sentence,
])[] = [
  [
    ...(["holds", holdCodes] as const),
    (code) => agent.holdSentence(code, { ...held, facts: factsOf(code) }),
    (code) => holdSentence({ ...held, code, detail: "?", facts: factsOf(code) } as never, "rules"),
  ],
  [
    ...(["summaries", summaryCodes] as const),
    (code) => agent.summarySentence(code, summary),
    (code) => summarySentence({ ...summary, code, detail: "?" }),
  ],
  [
    ...(["problems", updateProblemCodes] as const),
    (code) => agent.problemSentence(code, troubled),
    (code) => updatesSentence({ ...troubled, code, detail: "?" } as never),
  ],
  [
    ...(["ended attempts", outcomeCodes.filter((code) => code !== "unrecorded")] as const),
    (code) => outcomeSentence(outcomeCause(code, counts)).replace(" No reason is known.", ""),
    (code) => reasonSentence({ code, detail: "?", ...counts }),
  ],
  [
    ...([
      "attempts",
      ["good", "failed", "deferred", "aborted", "overtaken", "rolled_back", "refused"],
    ] as const),
    (end) =>
      outcomeOfAttempt(attempt(end)).replace(/^rules base (.*?)(, in place of 1.2.0)?\. WHY.*/, "$1 (WHEN)."),
    (end) => own(attemptSentence(attempt(end))),
  ],
  [
    ...(["releases that were passed over", passedOverCodes] as const),
    (code) => fullSentence(passedOverWords(passedOver(code)).replace(/^rules /, "")),
    (code) => own(passedOverSentence(passedOver(code))),
  ],
];

const known = ["1.3.0", "beta", "stable, old", "arm64", "It eats data.", "base is on trial"];

/** Facts that a reader looks for, whatever the language: figures, names, quotes and commands. */
function factsIn({ text, quote = "" }: Sentence): string[] {
  const said = `${text} ${quote}`;
  const found = [...known, "updates.example answered 503"].filter((fact) => said.includes(fact));
  return [...found, ...(said.match(/`[^`]+`|\b3\b/g) ?? [])];
}

for (const [name, codes, ofAgent, ofPage] of lists)
  describe(`sentences about updates: ${name}`, () => {
    it("are the agent's, word for word, in an English page", () => {
      putTexts("en", texts.en);
      assert.ok(codes.length > 4);
      for (const code of codes) {
        const [said, shown] = [ofAgent(code as never), ofPage(code as never)];
        assert.equal(withoutForms(shown.text), withoutForms(said), code);
      }
    });

    it("tell a German reader all facts that they tell an English one", () => {
      const told = (tag: keyof typeof texts): string[][] => {
        putTexts(tag, texts[tag]);
        return codes.map((code) => factsIn(ofPage(code as never)));
      };
      const [german, english] = [told("de"), told("en")];
      for (const [index, facts] of english.entries())
        assert.deepEqual(
          facts.filter((fact) => !german[index]?.includes(fact)),
          [],
          codes[index],
        );
      assert.ok(english.flat().length > 1, "these are no facts");
    });
  });

for (const tag of ["en", "de"] as const)
  it(`a health check's answer is quoted in each sentence about a release that failed it (${tag})`, () => {
    putTexts(tag, texts[tag]);
    const answer = "the engine answered 500";
    const unhealthy = { ...reason, code: "not_healthy_in_time", detail: "No.", last_answer: answer } as const;
    for (const said of [
      reasonSentence(unhealthy),
      holdSentence({ ...exampleHold("failed", "No."), reason: unhealthy }),
      blockerSentence({ code: "update_metadata_expired", detail: answer }, "rules"),
    ]) {
      assert.ok(`${said?.text} ${said?.quote}`.includes(answer), `${said?.text}`);
      if (tag === "de") assert.deepEqual([said?.isAgents, said?.quote], [false, answer]);
    }
  });
