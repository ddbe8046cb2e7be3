import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  holdSentence,
  problemSentence,
  summarySentence,
  trustSentence,
  undoneSentences,
} from "../../../src/updates/facts/update-sentences.ts";

const reason = { code: "internal_error", detail: "It broke.", count: null, last_answer: null } as const;
const until = "2026-11-21T02:00:00.000Z";
const at = until;
const rules = { kind: "rules", name: "base", version: "1.2.0" } as const;
const binary = { kind: "binary", name: "demo", version: "2.0.0" } as const;
const setting = "/update/ota/x";
const channels = { channel: "beta", allowed_channels: ["a", "b"] };

/**
 * Sentences of one kind whose form hangs on what is given: the facts, and the words that they lead to. That each code has
 * its words with all facts in them is shown where the console's are compared with these (test/console/update-words).
 */
function says<Code extends string, Facts>(
  what: string,
  sentenceOf: (code: Code, facts: Facts) => string,
  rows: readonly [Code, NoInfer<Facts>, RegExp][],
): void {
  describe(what, () => {
    for (const [code, facts, words] of rows)
      it(`${code}: ${words.source}`, () => assert.match(sentenceOf(code, facts), words));
  });
}

says("why a release is held, in a sentence", holdSentence, [
  [
    "channel_not_allowed",
    { setting, facts: channels },
    /the channel beta \(update\.ota\.x\)\. .* of these: a, b\.$/,
  ],
  ["trust_unusable", { reason }, /^It broke\.$/],
  ["trust_unusable", {}, /^The installed root of trust cannot be used\.$/],
  ["failed", { reason }, /^It failed on this device .* It broke\. Wait .* `steward update apply --again`\.$/],
  ["failed", { reason, kind: "rules" }, /`steward update apply rules --again`\.$/],
  ["deferred", { reason, until }, /It broke\. It is tried again at 2026-11-21T02:00:00\.000Z, or/],
  ["deferred", { reason }, /It broke\. An administrator can apply it\.$/],
  ["refused", { reason, until }, /refused it\. It broke\. It is tried again at 2026-11-21T02/],
  ["refused", { reason }, /refused it\. It broke\.$/],
  ["installer_unavailable", { reason, until }, /started for it\. It broke\. It is tried again at 2026/],
  ["installer_unavailable", { reason }, /started for it\. It broke\.$/],
  ["window", { until, setting }, /window \(update\.ota\.x\), at 2026-11-21T02/],
  ["window", {}, /window\.$/],
  ["busy", { facts: { in_progress: "demo is on trial" } }, /has ended: demo is on trial\.$/],
  ["busy", {}, /has ended\.$/],
  ["download_failed", { reason }, /^The last download failed\. It broke\.$/],
  ["download_failed", { reason, until }, /failed and is tried again at 2026-11-21T\S+Z\. It broke\.$/],
]);

says("the trust, in a sentence", trustSentence, [
  ["not_installed", {}, /^No root of trust is installed/],
  ["unusable", { reason }, /^It broke\.$/],
  ["server_not_set", { setting: "/update/ota/server" }, /^No update server is set \(update\.ota\.server\)/],
]);

const hold = { code: "window", detail: "It waits.", until: null, setting: null, reason: null } as const;
says("a summary, in a sentence", summarySentence, [
  ["trust_not_installed", { hold: { ...hold, code: "trust_not_installed" } }, /^It waits\.$/],
  ["server_not_set", { setting }, /^No update server is set \(update\.ota\.x\)/],
  ["not_checked_disabled", { setting }, /off \(update\.ota\.x\)/],
  ["downloading", { releases: [rules, binary] }, /^base 1\.2\.0, demo 2\.0\.0 is being downloaded\.$/],
  ["downloading", {}, /^A release is being downloaded\.$/],
  ["available", { releases: [rules] }, /^base 1\.2\.0 is available\. A check fetches it\.$/],
  ["available", { releases: [rules], hold }, /^base 1\.2\.0 is available\. It waits\.$/],
  ["staged", { releases: [binary], hold }, /^demo 2\.0\.0 is downloaded and .* applied\. It waits\.$/],
  ["staged", { releases: [binary] }, /^demo 2\.0\.0 is downloaded and verified, and can be applied\.$/],
  ["applied", { releases: [rules], at }, /^base 1\.2\.0 was applied at 2026\S+ and is healthy\.$/],
  ["nothing_newer", { at }, /^The last check, at 2026\S+, found nothing newer for this device\.$/],
  ["check_failed", { at, reason }, /^The last check, at 2026\S+, failed\. It broke\.$/],
  [
    "check_failed",
    { at, reason, failures: 3 },
    /^The last check, at \S+, failed \(3 in a row\)\. It broke\.$/,
  ],
]);

const unnamed = (kind: "rules" | "binary") => ({ release: { kind, name: null, version: null }, reason });
says("a problem, in a sentence", problemSentence, [
  ["refused", { release: rules, at, reason }, /^The installer refused base 1\.2\.0 at 2026\S+\. It broke\.$/],
  ["installer_unavailable", { release: rules, reason }, /^The installer .* for base 1\.2\.0\. It broke\.$/],
  ["check_failed", { failures: 2, reason }, /^The last 2 checks for updates failed\. It broke\.$/],
  ["check_failed", { failures: 1, reason }, /^The last check for updates failed\. It broke\.$/],
  ["check_failed", { failures: 0, reason }, /^The last check for updates failed\. It broke\.$/],
  ["not_verifiable", unnamed("rules"), / for rules, .* It broke\.$/],
  ["not_verifiable", unnamed("binary"), / for services, .* It broke\.$/],
]);

it("what was undone is told with why, and that the device is not healthy without it either where it is not", () => {
  const of = (restored_healthy: boolean | null, outcome: "aborted" | "failed" = "aborted") =>
    undoneSentences({ releases: [rules], at, reason }, { outcome, restored_healthy }).join(" ");
  assert.match(
    of(false),
    /^base 1\.2\.0 was undone at 2026.* It broke\. Without this update .* either: .* now\. .*no longer applied automatically\..* Its last log lines/,
  );
  for (const isWell of [true, null]) {
    assert.match(of(isWell), /It broke\. It was undone on this device/);
    assert.doesNotMatch(of(isWell), /Without this update/);
  }
  assert.match(of(true, "failed"), /not applied again\..*`steward update apply rules --again`/);
});
