import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  capitalised,
  checksFailedSentence,
  type HoldFacts,
  holdSentence,
  nameOf,
  notVerifiableSentence,
  refusedSentence,
  requestFailedSentence,
  type SummaryFacts,
  summarySentence,
  trialStepSentence,
  trustSentence,
} from "../../../src/updates/facts/update-sentences.ts";

const reason = { code: "internal_error", detail: "It broke.", count: null, last_answer: null } as const;
const until = "2026-11-21T02:00:00.000Z";
const [rules, binary] = [
  { kind: "rules", name: "base", version: "1.2.0" },
  { kind: "binary", name: "demo", version: "2.0.0" },
] as const;

describe("the name of a release", () => {
  it("says that rules are rules, and is told as far as it is known", () => {
    assert.deepEqual([rules, binary].map(nameOf), ["the rules base 1.2.0", "demo 2.0.0"]);
    const partly = [
      { ...rules, name: null },
      { ...rules, version: null },
      { ...binary, version: null },
      { kind: null, name: null, version: null },
    ];
    const names = ["a release of rules", "a release of rules", "a binary release", "a release"];
    assert.deepEqual(partly.map(nameOf), names);
    assert.deepEqual(["", "a", "the rules"].map(capitalised), ["", "A", "The rules"]);
  });
});

describe("why a release is held, in a sentence", () => {
  const cases: [Parameters<typeof holdSentence>[0], HoldFacts, RegExp][] = [
    ["channel_not_allowed", { channel: "beta", allowedChannels: ["a", "b"] }, /"beta" .* of these: a, b\.$/],
    ["channel_not_allowed", {}, /"" .* of these: \.$/],
    ["trust_unusable", { reason }, /^It broke\.$/],
    ["trust_unusable", {}, /^No reason is known\.$/],
    ["journal_unreadable", { what: "It is cut." }, /^It is cut\. Nothing is applied/],
    ["not_verifiable", { kind: "rules", reason }, /for rules \(internal_error\)/],
    ["not_verifiable", { kind: "binary" }, /for binaries \(unknown\)/],
    ["failed", { reason }, /^It failed on this device .* It broke\. Publish/],
    ["held", { reason }, /on request only\. It broke\.$/],
    ["deferred", { reason, until }, /deferred until 2026-11-21T02:00:00\.000Z, .*It broke\.$/],
    ["deferred", { reason }, /^It is deferred, and/],
    ["not_configured", { kind: "rules" }, /how rules are activated \(update\.rules\)/],
    ["not_configured", { kind: "binary" }, /how a binary is activated \(update\.binary\)/],
    ["not_automatic", { kind: "binary" }, /auto_update_binary is off/],
    ["trust_not_established", {}, /must confirm it/],
    ["clock_not_trusted", {}, /clock of this device is not trusted/],
    ["wave", { until }, /at 2026-11-21T02:00:00\.000Z\.$/],
    ["disabled", {}, /update\.ota\.enabled is off/],
    ["refused", { reason, until }, /refused it\. It broke\. The agent tries again at 2026-11-21T02/],
    ["refused", { reason }, /refused it\. It broke\.$/],
    [
      "installer_unavailable",
      { reason, until },
      /started\. It broke\. The agent tries again at 2026-11-21T02/,
    ],
    ["installer_unavailable", { reason }, /started\. It broke\.$/],
    ["postponed", { until }, /until 2026-11-21T02/],
    ["window", { until }, /windows, which opens at 2026-11-21T02/],
    ["window", {}, /windows\.$/],
    ["busy", { what: "demo is on trial" }, /^It waits: demo is on trial\.$/],
    ["download_failed", { reason }, /tried again\. It broke\.$/],
  ];
  for (const [code, facts, words] of cases)
    it(`tells of ${code} what there is: ${words.source}`, () =>
      assert.match(holdSentence(code, facts), words));
});

describe("the trust, in a sentence", () => {
  const cases: [Parameters<typeof trustSentence>[0], RegExp][] = [
    ["not_installed", /^No root of trust is installed/],
    ["unusable", /^It broke\.$/],
    ["not_confirmed", /is not confirmed/],
    ["server_not_set", /^No update server is set/],
    ["not_proven", /has not completed a check/],
    ["established", /installed, confirmed and proven/],
  ];
  for (const [code, words] of cases)
    it(`says what ${code} means`, () => assert.match(trustSentence(code, reason), words));
});

describe("the next step of a trial, in a sentence", () => {
  const step = (code: Parameters<typeof trialStepSentence>[0]["code"], facts: object = {}) =>
    trialStepSentence({ code, answers_left: null, until: null, reason: null, ...facts });

  it("says how many answers are needed, and by when", () => {
    assert.match(
      step("collect_answers", { answers_left: 1, until }),
      /^After 1 more healthy answer it .* by 2026/,
    );
    assert.match(
      step("collect_answers", { answers_left: 2 }),
      /^After 2 more healthy answers in a row it is kept\. Without them it is undone\.$/,
    );
  });

  it("says why it is undone where that is known", () => {
    for (const [code, words] of [
      ["restore", "activated next"],
      ["watch_former", "running again"],
    ] as const) {
      assert.match(step(code, { reason }), new RegExp(`${words}, .* watched\\. Reason: It broke\\.$`));
      assert.match(step(code), new RegExp(`${words}, .* watched\\.$`));
    }
    assert.match(step("activate"), /^It is being unpacked/);
    assert.match(step("watch"), /^It is activated next/);
  });
});

describe("a summary, in a sentence", () => {
  const hold = { code: "window", detail: "It waits.", until: null, setting: null, reason: null } as const;
  const both = [rules, binary];
  const cases: [Parameters<typeof summarySentence>[0], SummaryFacts, string][] = [
    ["trust_not_installed", { hold }, "It waits."],
    ["trust_not_installed", {}, ""],
    ["downloading", { releases: both }, "Downloading the rules base 1.2.0 and demo 2.0.0."],
    ["downloading", { releases: [] }, "Downloading a release."],
    ["downloading", {}, "Downloading a release."],
    [
      "available",
      { releases: both },
      "The rules base 1.2.0 and demo 2.0.0 is available. The next check fetches it.",
    ],
    ["available", { hold }, "A release is available. It waits."],
    [
      "staged",
      { releases: [binary], hold },
      "Demo 2.0.0 has been downloaded and verified, and can be applied. It waits.",
    ],
    ["staged", { releases: [binary] }, "Demo 2.0.0 has been downloaded and verified, and can be applied."],
    ["requested", { isRollback: true }, "A release is to be rolled back: the installer has been started."],
    ["requested", {}, "A release is to be applied: the installer has been started."],
    ["installing", { step: "Next." }, "A release is being installed. Next."],
    [
      "confirming",
      { step: "Next.", lastAnswer: "status 503" },
      "A release is running, and its health is being watched. Next. The last health check: status 503.",
    ],
    ["rolling_back", { step: "Next.", lastAnswer: null }, "A release is being undone. Next."],
    [
      "rolling_back",
      { step: "Next.", lastAnswer: "503" },
      "A release is being undone. Next. The last health check: 503.",
    ],
    ["applied", { at: "noon" }, "A release was applied at noon and is healthy."],
    ["nothing_newer", { at: "noon" }, "The last check, at noon, found nothing newer for this device."],
    [
      "nothing_newer",
      { at: "noon", more: ["One.", "Two."] },
      "The last check, at noon, found nothing newer for this device. One. Two.",
    ],
    ["check_failed", { at: "noon", reason }, "The last check, at noon, failed. It broke."],
    ["check_failed", { at: "noon" }, "The last check, at noon, failed. No reason is known."],
  ];
  for (const [code, facts, words] of cases)
    it(`says of ${code}: ${words}`, () => assert.equal(summarySentence(code, facts), words));

  it("says of every other state what a person can do", () => {
    for (const [code, words] of [
      ["signature_verification_off", /^$/],
      ["channel_not_allowed", /^$/],
      ["trust_unusable", /^$/],
      ["checking", /^Checking for updates/],
      ["waiting_for_clock", /not fetched while .*steward time status/],
      ["check_waiting_for_clock", /could not tell .*steward time status/],
      ["server_not_set", /set update\.ota\.server/],
      ["not_checked", /the first one soon/],
      ["not_checked_disabled", /check now, or turn it on/],
    ] as const)
      assert.match(summarySentence(code), words, code);
  });

  it("says of what was undone why, and that the release before is not healthy either where it is not", () => {
    const of = (facts: SummaryFacts) => summarySentence("undone", { at: "noon", ...facts });
    assert.match(of({}), /^A release was undone at noon\. {2}Its last log lines/);
    const entry = { outcome: "aborted", restored_healthy: false } as const;
    assert.match(
      of({ reason, entry }),
      /It broke\. The previous release .* either: .* now\. It is held, .* Its last/,
    );
    for (const restored_healthy of [true, null])
      assert.match(of({ reason, entry: { ...entry, restored_healthy } }), /It broke\. It is held, /);
  });
});

describe("a problem, in a sentence", () => {
  it("names the release, and the request where there is none", () => {
    assert.equal(
      refusedSentence(rules, "noon", reason),
      "The rules base 1.2.0 was refused at noon. It broke.",
    );
    assert.equal(
      requestFailedSentence(rules, reason),
      "The rules base 1.2.0 could not be applied. It broke.",
    );
    assert.equal(requestFailedSentence(null, reason), "The requested update could not be applied. It broke.");
  });

  it("counts the checks that failed, and names the kind that could not be verified", () => {
    assert.equal(checksFailedSentence(2, "No."), "The last 2 checks for updates failed. No.");
    for (const count of [0, 1])
      assert.equal(checksFailedSentence(count, "No."), "The last check for updates failed. No.");
    assert.equal(notVerifiableSentence("rules", "No."), "No rules are accepted. No.");
    assert.equal(notVerifiableSentence("binary", "No."), "No binary is accepted. No.");
  });
});
