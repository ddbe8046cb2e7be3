import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { knownReleases } from "../../src/console/updates/kind-row.tsx";
import { reasonOf } from "../../src/console/updates/waiting-reason.ts";
import type { HistoryEntry } from "../../src/contract/types.ts";
import { type ApplySituation, applyHoldOf } from "../../src/updates/apply/apply-decision.ts";
import { releaseHold } from "../../src/updates/apply/hold-reason.ts";
import { exampleEntry } from "../cli/example-updates.ts";
import { binary, good as conditions, rules } from "../updates/example-releases.ts";

const later = new Date("2026-11-20T14:00:00Z");

const free: ApplySituation = {
  conditions,
  unreadable: null,
  isConfigured: () => true,
  windows: { isOpen: true, opensAt: null },
  postponed: new Map(),
  refused: new Map(),
  busy: null,
};

const among = (change: Partial<ApplySituation["conditions"]>): ApplySituation => ({
  ...free,
  conditions: { ...conditions, ...change },
});

const listed = (why: "held" | "deferred") => {
  const one = { ...rules, why, at: "2026-11-20T10:00:00Z", reason: "Somebody.", until: null };
  return new Map([[rules.id, one]]);
};

const holdOf = (...of: Parameters<typeof applyHoldOf>) => {
  const hold = applyHoldOf(...of);
  return hold && releaseHold(hold);
};

/** The agent's codes, which the page has words for. */
describe("why a release is held", () => {
  const { ota } = conditions;
  for (const [reason, situation, release] of [
    ["held", among({ blocklist: listed("held") }), rules],
    ["deferred", among({ blocklist: listed("deferred") }), rules],
    ["notAutomatic", among({ ota: { ...ota, auto_update_rules: false } }), rules],
    ["notAutomatic", among({ ota: { ...ota, auto_update_binary: false } }), binary],
    ["trust", among({ ota: { ...ota, auto_update_binary: true }, isTrustEstablished: false }), binary],
    ["clock", among({ isClockTrusted: false }), rules],
    ["wave", free, { ...rules, due_at: "2030-01-01T00:00:00Z" }],
    ["notSetUp", { ...free, isConfigured: () => false }, binary],
    ["disabled", among({ ota: { ...ota, enabled: false } }), rules],
    ["postponed", { ...free, postponed: new Map([[rules.id, later]]) }, rules],
    ["window", { ...free, windows: { isOpen: false, opensAt: later } }, rules],
  ] as const) {
    it(`is known as ${reason}, of ${release.kind}`, () => {
      assert.equal(reasonOf(holdOf(release, situation)), reason);
    });
  }

  it("is shown in the agent's words where it is none of these", () => {
    assert.equal(reasonOf(holdOf(rules, { ...free, busy: "demo 1.0 is on trial" })), null);
    assert.equal(reasonOf(null), null);
  });
});

describe("the release that undoing leads back to", () => {
  /** Oldest first, as told here; the page gets the newest first. */
  const former = (...told: readonly (readonly [HistoryEntry["outcome"], string, string | null])[]) => {
    const entries = told.map(([outcome, version, from_version], index) => ({
      ...exampleEntry,
      ...{ outcome, version, from_version, sequence: index + 1, release_id: version },
    }));
    return knownReleases(entries.toReversed(), "rules").former;
  };

  it("is none after the first", () => assert.equal(former(["good", "1.0.0", null]), null));

  it("is the one before the last that proved good", () => {
    assert.equal(former(["good", "1.0.0", null], ["good", "1.1.0", "1.0.0"]), "1.0.0");
  });

  it("is not one that failed or was refused", () => {
    assert.equal(
      former(
        ["good", "1.0.0", null],
        ["good", "1.1.0", "1.0.0"],
        ["failed", "1.2.0", "1.1.0"],
        ["refused", "1.3.0", "1.1.0"],
      ),
      "1.0.0",
    );
  });

  it("is one further back after each undoing, until there is none", () => {
    const three = [
      ["good", "1.0.0", null],
      ["good", "1.1.0", "1.0.0"],
      ["good", "1.2.0", "1.1.0"],
    ] as const;
    assert.equal(former(...three, ["rolled_back", "1.2.0", "1.2.0"]), "1.0.0");
    assert.equal(
      former(...three, ["rolled_back", "1.2.0", "1.2.0"], ["rolled_back", "1.1.0", "1.1.0"]),
      null,
    );
  });

  it("is known where the history begins in the middle", () => {
    assert.equal(former(["good", "4.1.0", "4.0.0"]), "4.0.0");
  });

  it("is of the same kind", () => {
    const entries = [{ ...exampleEntry, version: "1.1.0", from_version: "1.0.0" }];
    assert.equal(knownReleases(entries, "binary").former, null);
  });
});
