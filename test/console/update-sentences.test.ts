import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleHold, exampleUpdateSummary } from "../../lab/command-line/example-updates.ts";
import * as deBase from "../../src/console/catalogue/languages/de/base.ts";
import * as deUpdates from "../../src/console/catalogue/languages/de/updates.ts";
import * as enBase from "../../src/console/catalogue/languages/en/base.ts";
import * as enUpdates from "../../src/console/catalogue/languages/en/updates.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import type { Sentence } from "../../src/console/ui/by-code.ts";
import { reasonSentence } from "../../src/console/ui/words/update-format.ts";
import {
  blockerSentence,
  holdSentence,
  summarySentence,
} from "../../src/console/updates/update-sentences.ts";
import type { UpdateReason } from "../../src/contract/types.ts";

const detail = "The server updates.example answered 503 to timestamp.json.";
const answer = "the engine answered 500";

const ofError: UpdateReason = {
  ...{ code: "update_server_refused", detail, count: null, last_answer: null },
};
const ofHealth: UpdateReason = {
  ...{ code: "not_healthy_in_time", detail: "No.", count: null, last_answer: answer },
};

/** The particulars that the agent knows, and each sentence in which a page can say them. */
const cases: readonly [name: string, particular: string, say: () => Sentence | null][] = [
  ["a check that failed", detail, () => reasonSentence({ code: ofError.code, detail })],
  [
    "a kind that cannot be verified",
    detail,
    () => blockerSentence({ code: "update_metadata_expired", detail }, "rules"),
  ],
  ["a release that was refused", detail, () => reasonSentence(ofError)],
  [
    "a release that is held",
    detail,
    () => holdSentence({ ...exampleHold("refused", "No."), reason: ofError }),
  ],
  [
    "updates as a whole",
    detail,
    () => summarySentence({ ...exampleUpdateSummary("check_failed", "No."), reason: ofError }),
  ],
  ["a release that was undone", answer, () => reasonSentence(ofHealth)],
  [
    "a release that failed here",
    answer,
    () => holdSentence({ ...exampleHold("failed", "No."), reason: ofHealth }),
  ],
];

for (const [language, texts] of [
  ["en", { ...enBase, ...enUpdates }],
  ["de", { ...deBase, ...deUpdates }],
] as const)
  describe(`a sentence about updates, ${language}`, () => {
    for (const [name, particular, say] of cases)
      it(`has the particulars of ${name}, in words that are marked as the agent's`, () => {
        putTexts(language, texts);
        const sentence = say();
        assert.ok(sentence !== null);
        const { text, isAgents, quote = "" } = sentence;
        assert.ok(`${text} ${quote}`.includes(particular), `${text} ${quote}`);
        if (language === "de") assert.deepEqual([isAgents, quote], [false, particular]);
      });
  });
