import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
  exampleEntry,
  exampleFailure,
  exampleHold,
  exampleRelease,
  exampleTrial,
  exampleUpdateSummary,
  exampleUpdates,
} from "../../lab/command-line/example-updates.ts";
import * as germanBase from "../../src/console/catalogue/languages/de/base.ts";
import * as germanUpdates from "../../src/console/catalogue/languages/de/updates.ts";
import * as base from "../../src/console/catalogue/languages/en/base.ts";
import * as updates from "../../src/console/catalogue/languages/en/updates.ts";
import { putTexts } from "../../src/console/catalogue/words.ts";
import { cardOf, knownReleases, workOf } from "../../src/console/updates/card/card-state.ts";
import { readNotes } from "../../src/console/updates/card/notes-markdown.ts";
import { passedOverOf, passedOverSentence } from "../../src/console/updates/update-sentences.ts";
import { checkRemedy, overviewOf, remedyOf } from "../../src/console/updates/updates-overview.ts";
import { summaryCodes } from "../../src/contract/schemas/update-reasons.ts";
import type { HistoryEntry, Need, PassedOver, UpdateProgress, Updates } from "../../src/contract/types.ts";
import { holdRemedy } from "../../src/contract/updates/update-holds.ts";
import type { UpdateRemedy } from "../../src/contract/updates/update-summaries.ts";

const idle: UpdateProgress = {
  phase: "idle",
  release_id: null,
  name: null,
  done_bytes: 0,
  total_bytes: null,
};

describe("what a publisher says of a release", () => {
  it("is a title, where it is one short line", () => {
    assert.deepEqual(readNotes("Fewer **false** alarms"), {
      title: "Fewer false alarms",
      blocks: [],
      isCut: false,
    });
  });

  it("is paragraphs and lists, with bold, code, and links as text with their address", () => {
    const notes =
      "# Waves\n\nBetter *rules*:\n- **telnet** and `ssh`\n- see [the list](https://example.net/l)\n\n1. first";
    const { title, blocks } = readNotes(notes);
    assert.equal(title, "Waves");
    assert.deepEqual(blocks, [
      { kind: "paragraph", lines: [[{ kind: "text", text: "Better *rules*:" }]] },
      {
        kind: "list",
        isNumbered: false,
        items: [
          [
            { kind: "bold", text: "telnet" },
            { kind: "text", text: " and " },
            { kind: "code", text: "ssh" },
          ],
          [
            { kind: "text", text: "see " },
            { kind: "link", text: "the list", address: "https://example.net/l" },
          ],
          [{ kind: "text", text: "first" }],
        ],
      },
    ]);
  });

  for (const typed of [
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "**not closed",
    "[a](http://x y)",
  ])
    it(`is text where it is no Markdown of ours: ${typed}`, () =>
      assert.equal(readNotes(typed).title, typed));

  it("is cut where it is long, and says so", () => {
    const { blocks, isCut } = readNotes("word\n\n".repeat(1_000));
    assert.ok(isCut && blocks.length < 80, `${blocks.length} blocks`);
    assert.equal(readNotes("*".repeat(10_000)).isCut, true);
  });
});

describe("the card of one kind of release", () => {
  const failed: HistoryEntry = { ...exampleFailure, sequence: 9, at: "2026-11-20T15:00:00.000Z" };
  const good: HistoryEntry = { ...exampleEntry, release_id: "f".repeat(32), version: "1.2.0", sequence: 8 };
  const card = (status: Partial<Updates>, entries: readonly HistoryEntry[]) =>
    cardOf("rules", exampleUpdates(status as never), entries, null);

  it("tells since when the installed release has been good, and what failed after that", () => {
    const { goodSince, attempts } = card({}, [failed, good]);
    assert.equal(goodSince, good.at);
    assert.deepEqual(attempts, [failed]);
  });

  it("tells of each release once, and nothing that a good one has followed", () => {
    const again = { ...failed, sequence: 10 };
    assert.deepEqual(card({}, [again, failed, good]).attempts, [again]);
    assert.deepEqual(card({}, [good, failed]).attempts, []);
  });

  it("leaves to the offer what the offer says itself", () => {
    const reason = exampleFailure.reason;
    const hold = { ...exampleHold("refused", "It was refused."), reason };
    const available = { rules: { ...exampleRelease, hold }, binary: null };
    const refused: HistoryEntry = { ...failed, outcome: "refused", release_id: exampleRelease.id };
    assert.deepEqual(card({ available }, [refused, good]).attempts, []);
  });

  it("has the withdrawal of the installed release, in both languages, and not what is for others", () => {
    const recall: PassedOver = {
      ...{ code: "withdrawn", kind: "rules", name: "base", version: "1.2.0", path: "p" },
      ...{ offered: null, here: "1.2.0", detail: "it eats data" },
    };
    const other: PassedOver = { ...recall, code: "other_channel", here: "stable", offered: "beta" };
    const sentencesIn = (language: "en" | "de", words: object) => {
      putTexts(language, words as never);
      const shown = passedOverOf(exampleUpdates({ passed_over: [recall, other] }), "rules");
      return shown.map(passedOverSentence);
    };
    assert.deepEqual(sentencesIn("de", { ...germanBase, ...germanUpdates }), [
      "base 1.2.0 ist installiert und wurde vom Herausgeber zurückgezogen: it eats data.",
    ]);
    assert.deepEqual(sentencesIn("en", { ...base, ...updates }), [
      "base 1.2.0 is installed, and was withdrawn by its publisher: it eats data.",
    ]);
  });

  it("has what is under way with it, by the newest that was told", () => {
    const trial = { ...exampleTrial, phase: "installing" } as const;
    const work = workOf(exampleUpdates({ trial }), { ...idle, phase: "confirming" });
    assert.deepEqual([work?.kind, work?.version, work?.phase], ["rules", "1.3.0", "confirming"]);
    assert.equal(cardOf("binary", exampleUpdates({ trial }), [], work).work, null);
    assert.equal(workOf(exampleUpdates(), { ...idle, phase: "checking" }), null);
    const available = { rules: exampleRelease, binary: null };
    const loading = { ...idle, phase: "downloading", release_id: exampleRelease.id } as const;
    assert.equal(workOf(exampleUpdates({ available }), loading)?.version, "1.3.0");
  });
});

describe("how updates are as a whole", () => {
  before(() => putTexts("en", { ...base, ...updates }));
  const whole = (change: Parameters<typeof exampleUpdates>[0]): { text: string; remedy: UpdateRemedy } => {
    const { sentences, remedy } = overviewOf(exampleUpdates(change), null, []);
    return { text: sentences.map(({ text }) => text).join(" "), remedy };
  };

  it("is the last check and the next one, where nothing is wrong", () => {
    assert.match(whole({}).text, /^Checked for updates .+\. The next check comes .+\.$/);
    assert.equal(whole({}).remedy, null);
  });

  it("is what stops them, before anything else", () => {
    const facts = { channel: "beta", allowed_channels: ["a", "b"] };
    const hold = { ...exampleHold("channel_not_allowed", "Not allowed."), facts };
    const summary = { ...exampleUpdateSummary("channel_not_allowed", "Not allowed."), hold };
    const { text, remedy } = whole({ state: "blocked", summary });
    assert.equal(
      text,
      "Updates are blocked because the host file does not allow the channel beta. Choose one of these: a, b.",
    );
    assert.equal(remedy, "settings");
  });

  it("is a check that failed, with its cause, how often, and the way out", () => {
    const last_check: Updates["schedule"]["last_check"] = {
      at: "2026-11-20T14:00:00.000Z",
      outcome: "failed",
      code: "clock_not_synchronised",
      detail: "The clock is wrong.",
      requests: 1,
      body_bytes: 0,
    };
    const { text, remedy } = whole({ schedule: { last_check, failures: 3 } });
    assert.match(text, /failed \(3 in a row\)\. The clock is wrong\./);
    assert.equal(remedy, "clock");
  });

  it("has the colour of the needs, whatever the last check says, and names one that it does not tell of", () => {
    const need = {
      code: "update_failed",
      level: "attention",
      facts: { name: "base", version: "1.3.0" },
    } as const;
    const about = (needs: readonly Need[], change: Parameters<typeof exampleUpdates>[0] = {}) =>
      overviewOf(exampleUpdates(change), null, needs);
    assert.equal(about([]).state, "good");
    const failed = about([{ ...need, detail: "No.", remedy: null }]);
    assert.equal(failed.state, "attention");
    assert.match(failed.sentences[0]?.text ?? "", /^base 1\.3\.0 failed on this device\.$/);
    const last_check = {
      ...exampleUpdates().schedule.last_check,
      outcome: "failed",
    } as Updates["schedule"]["last_check"];
    assert.equal(
      about([], { schedule: { last_check } }).state,
      "unknown",
      "a check that fails once is no need",
    );
  });

  it("has a remedy or none for every code, and applying for one of a newer agent", () => {
    for (const code of summaryCodes) assert.notEqual(remedyOf(code), undefined);
    assert.equal(remedyOf("newer"), null);
    assert.equal(holdRemedy("newer"), "apply");
    assert.equal(holdRemedy("toString"), "apply");
    assert.equal(checkRemedy("update_server_unreachable"), "check");
  });
});

describe("the release that undoing leads back to", () => {
  /** The newest first: outcome, version, version before. */
  const former = (told: string, kind: "rules" | "binary" = "rules") => {
    const entries = told.split(", ").map((one, index, all) => {
      const [outcome, version = "", from_version = null] = one.split(" ");
      const sequence = all.length - index;
      return {
        ...exampleEntry,
        outcome,
        version,
        from_version,
        sequence,
        release_id: version,
      } as HistoryEntry;
    });
    return knownReleases(entries, kind).former;
  };
  const two = "good 1.1.0 1.0.0, good 1.0.0";
  const three = `good 1.2.0 1.1.0, ${two}`;
  const undone = "rolled_back 1.2.0 1.2.0";

  for (const [name, told, expected] of [
    ["none after the first", "good 1.0.0", null],
    ["the one before the last that proved good", two, "1.0.0"],
    ["not one that failed or was refused", `refused 1.3.0 1.1.0, failed 1.2.0 1.1.0, ${two}`, "1.0.0"],
    ["one further back after an undoing", `${undone}, ${three}`, "1.0.0"],
    ["none after undoing all", `rolled_back 1.1.0 1.1.0, ${undone}, ${three}`, null],
    ["known where the history begins in the middle", "good 4.1.0 4.0.0", "4.0.0"],
  ] as const)
    it(`is ${name}`, () => assert.equal(former(told), expected));

  it("is of the same kind", () => assert.equal(former("good 1.1.0 1.0.0", "binary"), null));
});
