import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { knownReleases } from "../../src/console/updates/kind-row.tsx";
import { reasonOf, timeIn } from "../../src/console/updates/waiting-reason.ts";
import type { HistoryEntry } from "../../src/contract/types.ts";
import { type ApplySituation, applyHindranceOf } from "../../src/updates/apply/apply-decision.ts";
import { exampleEntry } from "../cli/example-updates.ts";
import { binary, good as circumstances, rules } from "../updates/example-releases.ts";

const later = new Date("2026-11-20T14:00:00Z");

const free: ApplySituation = {
  circumstances,
  unreadable: null,
  isSetUp: () => true,
  windows: { isOpen: true, opensAt: null },
  postponed: new Map(),
  refused: new Map(),
  busy: null,
};

const among = (change: Partial<ApplySituation["circumstances"]>): ApplySituation => ({
  ...free,
  circumstances: { ...circumstances, ...change },
});

const aside = (why: "held" | "deferred") => {
  const one = { ...rules, why, at: "2026-11-20T10:00:00Z", reason: "Somebody.", until: null };
  return new Map([[rules.id, one]]);
};

/** The agent's own words, which the page knows by how they begin. */
describe("why a release does not go on by itself, as the agent says it", () => {
  const { ota } = circumstances;
  for (const [reason, situation, release] of [
    ["held", among({ setAside: aside("held") }), rules],
    ["deferred", among({ setAside: aside("deferred") }), rules],
    ["notAutomatic", among({ ota: { ...ota, auto_update_rules: false } }), rules],
    ["notAutomatic", among({ ota: { ...ota, auto_update_binary: false } }), binary],
    ["trust", among({ ota: { ...ota, auto_update_binary: true }, isTrustEstablished: false }), binary],
    ["clock", among({ isClockTrusted: false }), rules],
    ["wave", free, { ...rules, due_at: "2030-01-01T00:00:00Z" }],
    ["notSetUp", { ...free, isSetUp: () => false }, binary],
    ["disabled", among({ ota: { ...ota, enabled: false } }), rules],
    ["postponed", { ...free, postponed: new Map([[rules.id, later]]) }, rules],
    ["window", { ...free, windows: { isOpen: false, opensAt: later } }, rules],
  ] as const) {
    it(`is known as ${reason}, of ${release.kind}`, () => {
      assert.equal(reasonOf(applyHindranceOf(release, situation)?.text ?? null), reason);
    });
  }

  it("is shown as it is where it is none of these", () => {
    assert.equal(
      reasonOf(applyHindranceOf(rules, { ...free, busy: "demo 1.0 is being tried" })?.text ?? ""),
      null,
    );
    assert.equal(reasonOf(null), null);
  });

  it("has the time in it when it ends", () => {
    const text = applyHindranceOf(rules, { ...free, postponed: new Map([[rules.id, later]]) })?.text ?? "";
    assert.equal(timeIn(text), "2026-11-20T14:00:00.000Z");
    assert.equal(timeIn("it is held back"), null);
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
