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
import { putTexts, t } from "../../src/console/catalogue/words.ts";
import { eventSentence } from "../../src/console/home/event-words.ts";
import { updateFacts } from "../../src/console/home/tile-facts.ts";
import { needInWords } from "../../src/console/needs/need-words.ts";
import { fingerprintIn } from "../../src/console/ui/visible.ts";
import { cardOf, knownReleases, workOf } from "../../src/console/updates/card/card-state.ts";
import { readNotes } from "../../src/console/updates/card/notes-markdown.ts";
import {
  dueWords,
  passedOverOf,
  passedOverSentence,
  releaseName,
} from "../../src/console/updates/update-sentences.ts";
import { checkRemedy, overviewOf, remedyOf } from "../../src/console/updates/updates-overview.ts";
import { summaryCodes } from "../../src/contract/schemas/update-reasons.ts";
import type { HistoryEntry, Need, PassedOver, UpdateProgress, Updates } from "../../src/contract/types.ts";
import { holdRemedy } from "../../src/contract/updates/update-holds.ts";

type Change = Parameters<typeof exampleUpdates>[0];

describe("what a publisher says of a release", () => {
  it("is paragraphs and lists, with bold, code, and links as text with their address", () => {
    const notes =
      "# Waves\n\nBetter *rules*:\n- **telnet** and `ssh`\n- see [the list](https://example.net/l)\n\n1. first";
    const text = (text: string) => ({ kind: "text", text });
    const link = { kind: "link", text: "the list", address: "https://example.net/l" };
    const { title, blocks } = readNotes(notes);
    assert.equal(title, "Waves");
    assert.deepEqual(blocks, [
      { kind: "paragraph", lines: [[text("Better *rules*:")]] },
      {
        ...{ kind: "list", isNumbered: false },
        items: [
          [{ kind: "bold", text: "telnet" }, text(" and "), { kind: "code", text: "ssh" }],
          [text("see "), link],
          [text("first")],
        ],
      },
    ]);
  });

  for (const [name, notes, title] of [
    ["a title of one short line", "Fewer **false** alarms", "Fewer false alarms"],
    // Anything that is no Markdown of ours is text.
    ...[
      ...["<img src=x onerror=alert(1)>", "[click](javascript:alert(1))", "**not closed", "[a](http://x y)"],
    ].map((typed) => [`the text ${typed}`, typed, typed] as const),
  ] as const)
    it(`is ${name}`, () => assert.deepEqual(readNotes(notes), { title, blocks: [], isCut: false }));

  it("is cut where it is long, and says so", () => {
    const { blocks, isCut } = readNotes("word\n\n".repeat(1_000));
    assert.ok(isCut && blocks.length < 80, `${blocks.length} blocks`);
    assert.equal(readNotes("*".repeat(10_000)).isCut, true);
  });
});

describe("the card of one kind of release", () => {
  const failed: HistoryEntry = { ...exampleFailure, sequence: 9, at: "2026-11-20T15:00:00.000Z" };
  const good: HistoryEntry = { ...exampleEntry, release_id: "f".repeat(32), version: "1.2.0", sequence: 8 };
  const again = { ...failed, sequence: 10 };
  const refused: HistoryEntry = { ...failed, outcome: "refused", release_id: exampleRelease.id };
  const hold = { ...exampleHold("refused", "It was refused."), reason: exampleFailure.reason };
  const refusedOffer = { available: { rules: { ...exampleRelease, hold }, binary: null } };
  const card = (status: Change, entries: readonly HistoryEntry[]) =>
    cardOf("rules", exampleUpdates(status), entries, null);

  for (const [name, status, entries, attempts] of [
    ["what failed after the installed release was good", {}, [failed, good], [failed]],
    ["each release once", {}, [again, failed, good], [again]],
    ["nothing that a good one has followed", {}, [good, failed], []],
    ["nothing that the offer says itself", refusedOffer, [refused, good], []],
  ] as const)
    it(`tells ${name}`, () => assert.deepEqual(card(status, entries).attempts, attempts));

  it("tells since when the installed release has been good", () =>
    assert.equal(card({}, [failed, good]).goodSince, good.at));

  it("has the withdrawal of the installed release, in both languages, and not what is for others", () => {
    const recall: PassedOver = {
      ...{ code: "withdrawn", kind: "rules", name: "base", version: "1.2.0", path: "p" },
      ...{ offered: null, here: "1.2.0", detail: "it eats data" },
    };
    const other: PassedOver = { ...recall, code: "other_channel", here: "stable", offered: "beta" };
    for (const [language, words, expected] of [
      [
        ...(["de", { ...germanBase, ...germanUpdates }] as const),
        "Regelwerk 1.2.0 ist installiert und wurde vom Herausgeber zurückgezogen: it eats data.",
      ],
      [
        ...(["en", { ...base, ...updates }] as const),
        "Rules 1.2.0 is installed, and was withdrawn by its publisher: it eats data.",
      ],
    ] as const) {
      putTexts(language, words);
      const shown = passedOverOf(exampleUpdates({ passed_over: [recall, other] }), "rules");
      assert.deepEqual(shown.map(passedOverSentence), [expected]);
    }
  });

  it("has what is under way with it, by the newest that was told", () => {
    const told = (phase: UpdateProgress["phase"], release_id: string | null = null): UpdateProgress => ({
      ...{ phase, release_id, name: null, done_bytes: 0, total_bytes: null },
    });
    const trial = { ...exampleTrial, phase: "installing" } as const;
    const work = workOf(exampleUpdates({ trial }), told("confirming"));
    assert.deepEqual([work?.kind, work?.version, work?.phase], ["rules", "1.3.0", "confirming"]);
    assert.equal(cardOf("binary", exampleUpdates({ trial }), [], work).work, null);
    assert.equal(workOf(exampleUpdates(), told("checking")), null);
    const available = { rules: exampleRelease, binary: null };
    const loading = workOf(exampleUpdates({ available }), told("downloading", exampleRelease.id));
    assert.equal(loading?.version, "1.3.0");
  });
});

describe("how updates are as a whole", () => {
  before(() => putTexts("en", { ...base, ...updates }));
  const about = (change: Change, needs: readonly Need[] = []) => {
    const { sentences, remedy, state } = overviewOf(exampleUpdates(change), null, needs);
    return { text: sentences.map(({ text }) => text).join(" "), remedy, state };
  };
  const facts = { channel: "beta", allowed_channels: ["a", "b"] };
  const hold = { ...exampleHold("channel_not_allowed", "Not allowed."), facts };
  const blocked = { ...exampleUpdateSummary("channel_not_allowed", "Not allowed."), hold };
  const last_check: Updates["schedule"]["last_check"] = {
    ...{ at: "2026-11-20T14:00:00.000Z", outcome: "failed", code: "clock_not_synchronised" },
    ...{ detail: "The clock is wrong.", requests: 1, body_bytes: 0 },
  };
  const unset = { summary: exampleUpdateSummary("server_not_set", "?"), schedule: { last_check: null } };
  const rootThat = (code: "not_installed" | "unusable"): Change => {
    const reason = {
      ...exampleFailure.reason,
      code: "update_root_unusable",
      detail: "It is cut short.",
    } as const;
    return {
      ...unset,
      trust: { ...exampleUpdates().trust, installed: false, status: { code, detail: "?", reason } },
    };
  };
  const [noRoot, badRoot] = [rootThat("not_installed"), rootThat("unusable")];
  const need: Need = {
    ...{ code: "update_failed", level: "attention", detail: "No.", remedy: null },
    facts: { kind: "rules", name: "base", version: "1.3.0" },
  };

  for (const [name, change, needs, state, remedy, text] of [
    [
      ...(["the last check and the next one, where nothing is wrong", {}, [], "good", null] as const),
      /^Checked for updates .+\. The next check comes .+\.$/,
    ],
    [
      ...(["what stops them, before anything else", { state: "blocked", summary: blocked }, []] as const),
      ...(["unknown", "settings"] as const),
      /^Updates are blocked because the host file does not allow the channel beta\. Choose one of these: a, b\.$/,
    ],
    [
      ...([
        "what root has to do first, before the server that is not set",
        noRoot,
        [],
        "unknown",
        null,
      ] as const),
      /^No root of trust is installed, .* `steward update trust install FILE`/,
    ],
    [
      ...(["a root of trust that cannot be used, with its reason", badRoot, [], "unknown", null] as const),
      /^It is cut short\.$/,
    ],
    // A check that fails once is no need.
    [
      ...(["a check that failed, with its cause, how often, and the way out"] as const),
      ...([{ schedule: { last_check, failures: 3 } }, [], "unknown", "clock"] as const),
      /failed \(3 in a row\)\. The clock is wrong\./,
    ],
    [
      ...([
        "of the colour of a need that the check does not tell of",
        {},
        [need],
        "attention",
        null,
      ] as const),
      /^Rules 1\.3\.0 failed on this device\./,
    ],
  ] as const)
    it(`is ${name}`, () => {
      const found = about(change, needs);
      assert.match(found.text, text);
      assert.deepEqual([found.state, found.remedy], [state, remedy]);
    });

  it("has a remedy or none for every code, and applying for one of a newer agent", () => {
    for (const code of summaryCodes) assert.notEqual(remedyOf(code), undefined);
    assert.equal(remedyOf("newer"), null);
    for (const code of ["newer", "toString"]) assert.equal(holdRemedy(code), "apply");
    assert.equal(checkRemedy("update_server_unreachable"), "check");
  });
});

describe("the words about updates", () => {
  const rules = { kind: "rules", name: "base", version: "1.3.0" } as const;
  const service = { kind: "binary", name: "demo", version: "2.0.0" } as const;
  const installed = { available: null, attention: null };
  const kinds = [
    { ...installed, kind: "rules", installed: "1.3.0" },
    { ...installed, kind: "binary", installed: "2.0.0" },
  ];
  const tile = () => updateFacts({ kinds, last_check: null } as never).slice(0, 2);
  const need: Need = { code: "update_failed", level: "attention", detail: "", remedy: null, facts: rules };
  const event = {
    type: "update.applied",
    details: service,
    actor: { name: null, kind: "agent" },
    subject: null,
  };
  /** A sentence begins with the name of the release. */
  const named = (sentence = "") => sentence.split(" ").slice(0, 2).join(" ");
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const overdue = exampleUpdates({ schedule: { next_check_at: "2026-11-20T14:00:00.000Z" } });
  const checked = () => overviewOf(overdue, null, []).sentences.at(-1)?.text;

  for (const [name, say, english, german] of [
    ["name rules by their kind", () => releaseName(rules), "Rules 1.3.0", "Regelwerk 1.3.0"],
    ["name a service by its kind", () => releaseName(service), "Service 2.0.0", "Dienst 2.0.0"],
    [
      "name what has no kind as its publisher does",
      () => releaseName({ ...rules, kind: null }),
      "base 1.3.0",
      "base 1.3.0",
    ],
    [
      "are those of Home's tile",
      () => tile().join(", "),
      "Rules 1.3.0, Service 2.0.0",
      "Regelwerk 1.3.0, Dienst 2.0.0",
    ],
    ["are those of a need", () => named(needInWords(need)?.title), "Rules 1.3.0", "Regelwerk 1.3.0"],
    ["are those of an event", () => named(eventSentence(event as never)), "Service 2.0.0", "Dienst 2.0.0"],
    [
      "bring nothing back where nothing is",
      () => t.updates.applyUndone(null).split(", ").at(-1),
      "it is undone automatically.",
      "wird es automatisch zurückgenommen.",
    ],
    [
      "call no update that was just begun another one",
      () => t.updates.why.underWay("X"),
      "An update is in progress: X",
      "Es läuft ein Update: X",
    ],
    ["say of a deadline that it comes", () => dueWords(inSeconds(30)), "soon", "gleich"],
    [
      "say when it comes, while that is far",
      () => dueWords(inSeconds(600)),
      "in 10 minutes",
      "in 10 Minuten",
    ],
    ["say of a deadline that is over nothing else", () => dueWords(inSeconds(-90)), "soon", "gleich"],
    [
      "have no next check in the past",
      checked,
      "The next check comes soon.",
      "Die nächste Suche kommt gleich.",
    ],
  ] as const)
    it(name, () => {
      putTexts("en", { ...base, ...updates });
      assert.equal(say(), english);
      putTexts("de", { ...germanBase, ...germanUpdates });
      assert.equal(say(), german);
    });
});

describe("a fingerprint in what a person pastes", () => {
  const hex = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7beef";
  const colons = (hex.toUpperCase().match(/../g) ?? []).join(":");
  const groups = (hex.match(/.{4}/g) ?? []).join(" ");

  for (const [name, pasted, expected] of [
    ["is itself", hex, hex],
    ["is found in capitals with colons", colons, hex],
    ["is found in groups on several lines", `${groups.slice(0, 39)}\r\n\t${groups.slice(39)}\n`, hex],
    ["is found behind words that could be a part of it", `SHA-256 code, may be a dead one: ${groups}`, hex],
    ["is found before such words", `${groups} be bad`, hex],
    ["is found in an address", `https://example.net/?sha256=${hex}&x=1`, hex],
    ["is none where a digit is missing", hex.slice(1), ""],
    ["is none where there is a digit too many", `${hex}0`, ""],
    ["is none where a letter is no digit", `${hex.slice(0, 63)}g`, ""],
    ["is none in nothing", "", ""],
  ] as const)
    it(name, () => assert.equal(fingerprintIn(pasted), expected));
});

describe("the release that undoing leads back to", () => {
  const two = "good 1.1.0 1.0.0, good 1.0.0";
  const three = `good 1.2.0 1.1.0, ${two}`;
  const undone = "rolled_back 1.2.0 1.2.0";

  // The newest first: outcome, version, version before.
  for (const [name, told, expected, kind = "rules"] of [
    ["none after the first", "good 1.0.0", null],
    ["the one before the last that proved good", two, "1.0.0"],
    ["not one that failed or was refused", `refused 1.3.0 1.1.0, failed 1.2.0 1.1.0, ${two}`, "1.0.0"],
    ["one further back after an undoing", `${undone}, ${three}`, "1.0.0"],
    ["none after undoing all", `rolled_back 1.1.0 1.1.0, ${undone}, ${three}`, null],
    ["known where the history begins in the middle", "good 4.1.0 4.0.0", "4.0.0"],
    ["of the same kind", "good 1.1.0 1.0.0", null, "binary"],
  ] as readonly (readonly [string, string, string | null, ("rules" | "binary")?])[])
    it(`is ${name}`, () => {
      const entries = told.split(", ").map((one, index, all) => {
        const [outcome, version = "", from_version = null] = one.split(" ");
        const sequence = all.length - index;
        const more = { outcome, version, from_version, sequence, release_id: version };
        return { ...exampleEntry, ...more } as HistoryEntry;
      });
      assert.equal(knownReleases(entries, kind).former, expected);
    });
});
