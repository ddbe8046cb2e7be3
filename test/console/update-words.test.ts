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
  trustSentence,
} from "../../src/console/updates/update-sentences.ts";
import { passedOverCodes } from "../../src/contract/schemas/update-passed-over.ts";
import {
  outcomeCodes,
  summaryCodes,
  trustCodes,
  updateProblemCodes,
} from "../../src/contract/schemas/update-reasons.ts";
import type { HistoryEntry, PassedOver, UpdateReason } from "../../src/contract/types.ts";
import { fullSentence } from "../../src/contract/update-facts.ts";
import { holdCodes } from "../../src/contract/updates/update-holds.ts";
import { outcomeCause, outcomeSentence } from "../../src/releases/outcome-reasons.ts";
import { passedOverWords } from "../../src/releases/passed-over.ts";
import * as agent from "../../src/updates/facts/update-sentences.ts";

/** As the agent writes them, and as a page of this moment does. */
const [past, coming] = ["2020-01-02T03:04:05.000Z", "2199-01-02T03:04:05.000Z"];

const reason: UpdateReason = {
  ...{ code: "update_server_refused", detail: "The server updates.example answered 503.", count: null },
  last_answer: null,
};
const answer = "the engine answered 500";
const release = { kind: "rules", name: "base", version: "1.3.0" } as const;
const channels = { channel: "beta", allowed_channels: ["stable", "old"] };
const factsOf = (code: string) => (code === "busy" ? { in_progress: "base is on trial" } : channels);
const setting = "/update/ota/enabled";

/** All that a sentence of the kind can be given. */
const all = {
  hold: { until: coming, reason, setting: null, kind: "rules" },
  problem: { release, reason, at: past, until: coming, failures: 3, facts: channels },
} as const;

const summary = { releases: [release], at: past, reason, hold: null };

const attempt = (end: HistoryEntry["outcome"] | "overtaken"): HistoryEntry => ({
  ...{ ...exampleEntry, at: past, outcome: end === "overtaken" ? "aborted" : end },
  reason: { ...reason, code: end === "overtaken" ? end : "unrecorded", detail: "WHY" },
});

const passedOver = (code: PassedOver["code"]): PassedOver => ({
  ...{ code, ...release, path: "stable/rules/base-1.3.0.tar.gz", offered: "beta", here: "arm64" },
  detail: code === "withdrawn" ? "It eats data." : null,
});

/** Both name the time in their own way, and only the agent names settings. */
function withoutForms(text: string): string {
  return text
    .replace(/ \(update\.[a-z_.]+\)/g, "")
    .replace(
      /\b(at 20\d\d-\S+?Z|at 2199-\S+?Z|on \d+ Jan \d+|on Jan \d+, \d+|on [\d/]+|[\d,]+ years ago|in [\d,]+ years)/g,
      "WHEN",
    );
}

const lists: readonly (readonly [
  name: string,
  codes: readonly string[],
  ofAgent: (code: never) => string,
  ofPage: (code: never) => Sentence,
])[] = [
  [
    "holds",
    holdCodes,
    (code) => agent.holdSentence(code, { ...all.hold, facts: factsOf(code) }),
    (code) => holdSentence({ ...all.hold, code, detail: "?", facts: factsOf(code) } as never, "rules"),
  ],
  [
    "summaries",
    summaryCodes,
    (code) => agent.summarySentence(code, summary),
    (code) => summarySentence({ ...summary, code, detail: "?" }),
  ],
  [
    "problems",
    updateProblemCodes,
    (code) => agent.problemSentence(code, all.problem),
    (code) => updatesSentence({ ...all.problem, code, detail: "?" } as never),
  ],
  [
    "the trust",
    trustCodes,
    (code) => agent.trustSentence(code, { reason, setting }),
    (code) => trustSentence({ code, detail: "?", reason }),
  ],
  [
    "ended attempts",
    outcomeCodes.filter((code) => code !== "unrecorded"),
    (code) =>
      outcomeSentence(outcomeCause(code, { count: 3, last_answer: null })).replace(
        " No reason is known.",
        "",
      ),
    (code) => reasonSentence({ code, detail: "?", count: 3, last_answer: null }),
  ],
  [
    "attempts",
    ["good", "failed", "deferred", "aborted", "overtaken", "rolled_back", "refused"],
    (end) =>
      outcomeOfAttempt(attempt(end)).replace(/^rules base (.*?)(, in place of 1.2.0)?\. WHY.*/, "$1 (WHEN)."),
    (end) => ({ text: attemptSentence(attempt(end)), isAgents: false }),
  ],
  [
    "releases that were passed over",
    passedOverCodes,
    (code) => fullSentence(passedOverWords(passedOver(code)).replace(/^rules /, "")),
    (code) => ({ text: passedOverSentence(passedOver(code)), isAgents: false }),
  ],
];

/** Facts that a reader looks for, whatever the language: figures, names, quotes and commands. */
function factsIn({ text, quote = "" }: Sentence): string[] {
  const said = `${text} ${quote}`;
  const known = [
    "base 1.3.0",
    "1.3.0",
    "beta",
    "stable, old",
    "arm64",
    "It eats data.",
    "base is on trial",
    "updates.example answered 503",
  ];
  const commands = said.match(/`[^`]+`/g) ?? [];
  return [
    ...known.filter((fact) => said.includes(fact)),
    ...commands,
    ...(/\b3\b/.test(said) ? ["3"] : []),
  ].sort();
}

for (const [name, codes, ofAgent, ofPage] of lists)
  describe(`sentences about updates: ${name}`, () => {
    it("are the agent's, word for word, in an English page", () => {
      putTexts("en", { ...enBase, ...enUpdates });
      assert.ok(codes.length > 4);
      for (const code of codes) {
        const [said, shown] = [ofAgent(code as never), ofPage(code as never)];
        assert.equal(withoutForms(shown.text), withoutForms(said), code);
      }
    });

    it("tell a German reader all facts that they tell an English one", () => {
      const told = (tag: string, texts: object): string[][] => {
        putTexts(tag, texts);
        return codes.map((code) => factsIn(ofPage(code as never)));
      };
      const german = told("de", { ...deBase, ...deUpdates });
      const english = told("en", { ...enBase, ...enUpdates });
      const missing = english.map((known, index) => [
        codes[index],
        ...known.filter((fact) => !german[index]?.includes(fact)),
      ]);
      assert.deepEqual(
        missing.filter((one) => one.length > 1),
        [],
      );
      assert.ok(name === "the trust" || english.flat().length > 1, "these are no facts");
    });
  });

it("a health check's answer is quoted in each sentence about a release that failed it", () => {
  const ofHealth = { ...reason, code: "not_healthy_in_time", detail: "No.", last_answer: answer } as const;
  for (const [tag, texts] of [
    ["en", { ...enBase, ...enUpdates }],
    ["de", { ...deBase, ...deUpdates }],
  ] as const) {
    putTexts(tag, texts);
    const held = { ...exampleHold("failed", "No."), reason: ofHealth };
    const blocked = blockerSentence({ code: "update_metadata_expired", detail: answer }, "rules");
    for (const said of [reasonSentence(ofHealth), holdSentence(held), blocked]) {
      assert.ok(`${said?.text} ${said?.quote}`.includes(answer), `${said?.text}`);
      if (tag === "de") assert.deepEqual([said?.isAgents, said?.quote], [false, answer]);
    }
  }
});
