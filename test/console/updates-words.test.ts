import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exampleEntry } from "../../lab/command-line/example-updates.ts";
import { knownReleases } from "../../src/console/updates/card/card-state.ts";
import type { HistoryEntry } from "../../src/contract/types.ts";

describe("the release that undoing leads back to", () => {
  /** The entries are given with the oldest first; the page gets the newest first. */
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
