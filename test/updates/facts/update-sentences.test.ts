import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { UpdateFacts } from "../../../src/contract/update-facts.ts";
import {
  holdSentence,
  problemSentence,
  summarySentence,
  trustSentence,
  undoneSentences,
} from "../../../src/updates/facts/update-sentences.ts";

const reason = { code: "internal_error", detail: "It broke.", count: null, last_answer: null } as const;
const until = "2026-11-21T02:00:00.000Z";
const [rules, binary] = [
  { kind: "rules", name: "base", version: "1.2.0" },
  { kind: "binary", name: "demo", version: "2.0.0" },
] as const;

describe("why a release is held, in a sentence", () => {
  const setting = "/update/ota/x";
  const cases: [Parameters<typeof holdSentence>[0], UpdateFacts, RegExp][] = [
    [
      "channel_not_allowed",
      { setting: "/update/ota/channel", facts: { channel: "beta", allowed_channels: ["a", "b"] } },
      /the channel beta \(update\.ota\.channel\)\. .* of these: a, b\.$/,
    ],
    ["trust_unusable", { reason }, /^It broke\.$/],
    ["trust_unusable", {}, /^The installed root of trust cannot be used\.$/],
    ["journal_unreadable", { reason }, /nothing is applied\. It broke\.$/],
    ["not_verifiable", { reason }, /could not verify what the publisher signed, .* It broke\.$/],
    [
      "failed",
      { reason },
      /^It failed on this device .* It broke\. Wait .* `steward update apply --again`\.$/,
    ],
    ["failed", { reason, kind: "rules" }, /`steward update apply rules --again`\.$/],
    ["held", { reason }, /no longer applied automatically\. It broke\. An administrator can apply it\.$/],
    ["deferred", { reason, until }, /It broke\. It is tried again at 2026-11-21T02:00:00\.000Z, or/],
    ["deferred", { reason }, /It broke\. An administrator can apply it\.$/],
    ["not_configured", { setting: "/update/rules" }, /in the host file \(update\.rules\)\.$/],
    ["not_automatic", { setting }, /on request only \(update\.ota\.x\)\.$/],
    ["trust_not_established", {}, /until the publisher is trusted/],
    ["clock_not_trusted", {}, /clock of this device is trusted/],
    ["wave", { until }, /at 2026-11-21T02:00:00\.000Z\.$/],
    ["disabled", { setting }, /are off \(update\.ota\.x\), so/],
    ["refused", { reason, until }, /refused it\. It broke\. It is tried again at 2026-11-21T02/],
    ["refused", { reason }, /refused it\. It broke\.$/],
    ["installer_unavailable", { reason, until }, /started for it\. It broke\. It is tried again at 2026/],
    ["installer_unavailable", { reason }, /started for it\. It broke\.$/],
    ["postponed", { until }, /that ends at 2026-11-21T02/],
    ["window", { until, setting }, /window \(update\.ota\.x\), at 2026-11-21T02/],
    ["window", {}, /window\.$/],
    ["busy", { facts: { in_progress: "demo is on trial" } }, /has ended: demo is on trial\.$/],
    ["busy", {}, /has ended\.$/],
    ["download_failed", { reason }, /^The last download failed\. It broke\.$/],
    [
      "download_failed",
      { reason, until },
      /failed and is tried again at 2026-11-21T02:00:00\.000Z\. It broke\.$/,
    ],
  ];
  for (const [code, facts, words] of cases)
    it(`tells of ${code} what there is: ${words.source}`, () =>
      assert.match(holdSentence(code, facts), words));
});

describe("the trust, in a sentence", () => {
  const cases: [Parameters<typeof trustSentence>[0], RegExp][] = [
    ["not_installed", /^No root of trust is installed/],
    ["unusable", /^It broke\.$/],
    ["not_confirmed", /has not been compared .*steward update trust confirm FINGERPRINT/],
    ["server_not_set", /^No update server is set \(update\.ota\.server\)/],
    ["not_proven", /has not been checked/],
    ["established", /installed, confirmed and proven/],
  ];
  for (const [code, words] of cases)
    it(`says what ${code} means`, () =>
      assert.match(trustSentence(code, { reason, setting: "/update/ota/server" }), words));
});

describe("a summary, in a sentence", () => {
  const hold = { code: "window", detail: "It waits.", until: null, setting: null, reason: null } as const;
  const both = [rules, binary];
  const at = until;
  const cases: [Parameters<typeof summarySentence>[0], UpdateFacts, string][] = [
    ["trust_not_installed", { hold: { ...hold, code: "trust_not_installed" } }, "It waits."],
    ["downloading", { releases: both }, "base 1.2.0, demo 2.0.0 is being downloaded."],
    ["downloading", {}, "A release is being downloaded."],
    ["available", { releases: [rules] }, "base 1.2.0 is available. A check fetches it."],
    ["available", { releases: [rules], hold }, "base 1.2.0 is available. It waits."],
    [
      "staged",
      { releases: [binary], hold },
      "demo 2.0.0 is downloaded and verified, and can be applied. It waits.",
    ],
    ["staged", { releases: [binary] }, "demo 2.0.0 is downloaded and verified, and can be applied."],
    ["requested", { releases: [rules] }, "The installer has been started for base 1.2.0."],
    ["installing", { releases: [rules] }, "base 1.2.0 is being installed."],
    ["confirming", { releases: [rules] }, "base 1.2.0 is running, and its health is being watched."],
    ["rolling_back", { releases: [rules] }, "base 1.2.0 is being undone."],
    ["applied", { releases: [rules], at }, `base 1.2.0 was applied at ${at} and is healthy.`],
    ["nothing_newer", { at }, `The last check, at ${at}, found nothing newer for this device.`],
    ["check_failed", { at, reason }, `The last check, at ${at}, failed. It broke.`],
    ["check_failed", { at, reason, failures: 3 }, `The last check, at ${at}, failed (3 in a row). It broke.`],
  ];
  for (const [code, facts, words] of cases)
    it(`says of ${code}: ${words}`, () => assert.equal(summarySentence(code, facts), words));

  it("says of every other state what a person can do", () => {
    const setting = "/update/ota/x";
    for (const [code, words] of [
      ["checking", /^Checking for updates/],
      ["waiting_for_clock", /fetched when .*steward time status/],
      ["check_waiting_for_clock", /not known whether .*steward time status/],
      ["server_not_set", /^No update server is set \(update\.ota\.x\)/],
      ["not_checked", /the first one comes soon/],
      ["not_checked_disabled", /off \(update\.ota\.x\)/],
    ] as const)
      assert.match(summarySentence(code, { setting }), words, code);
  });

  it("says of what was undone why, and that the release before is not healthy either where it is not", () => {
    const told = { releases: [rules], at: until, reason };
    const of = (restored_healthy: boolean | null, outcome: "aborted" | "failed" = "aborted") =>
      undoneSentences(told, { outcome, restored_healthy }).join(" ");
    assert.match(
      of(false),
      /^base 1\.2\.0 was undone at 2026.* It broke\. The previous release .* either: .* now\. .*no longer applied automatically\..* Its last log lines/,
    );
    for (const isWell of [true, null]) {
      assert.match(of(isWell), /It broke\. It was undone on this device/);
      assert.doesNotMatch(of(isWell), /previous release/);
    }
    assert.match(of(true, "failed"), /not applied again\..*`steward update apply rules --again`/);
  });
});

describe("a problem, in a sentence", () => {
  it("names the release, and the request where there is none", () => {
    const found = problemSentence("refused", { release: rules, at: until, reason });
    assert.equal(found, `The installer refused base 1.2.0 at ${until}. It broke.`);
    const seen = problemSentence("installer_unavailable", { release: rules, reason });
    assert.equal(seen, "The installer could not be started for base 1.2.0. It broke.");
    const shown = problemSentence("request_failed", { reason });
    assert.equal(shown, "The requested update could not be applied. It broke.");
  });

  it("counts the checks that failed, and names the kind that could not be verified", () => {
    const failed = (failures: number) => problemSentence("check_failed", { failures, reason });
    assert.equal(failed(2), "The last 2 checks for updates failed. It broke.");
    for (const count of [0, 1]) assert.equal(failed(count), "The last check for updates failed. It broke.");
    const notVerified = (kind: "rules" | "binary") =>
      problemSentence("not_verifiable", { release: { kind, name: null, version: null }, reason });
    assert.match(notVerified("rules"), / for rules, .* It broke\.$/);
    assert.match(notVerified("binary"), / for services, .* It broke\.$/);
  });
});
