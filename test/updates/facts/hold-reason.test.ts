import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredRelease } from "../../../src/releases/update-record.ts";
import { type HoldConditions, holdBecause, holdReasonOf } from "../../../src/updates/facts/hold-reason.ts";
import { binary, good, rules } from "../example-releases.ts";

function codeOf(release: StoredRelease, overrides: Partial<HoldConditions> = {}): string | null {
  return holdReasonOf(release, { ...good, ...overrides })?.code ?? null;
}

describe("why a release is not fetched without a request", () => {
  const off = { ...good.ota, auto_update_rules: false, auto_update_binary: false };

  it("is nothing where all is well", () => {
    assert.deepEqual([codeOf(rules), codeOf(binary)], [null, null]);
  });

  it("is the setting of its own kind", () => {
    assert.deepEqual(
      [codeOf(rules, { ota: off }), codeOf(binary, { ota: off })],
      ["not_automatic", "not_automatic"],
    );
    assert.equal(codeOf(rules, { ota: { ...off, auto_update_rules: true } }), null);
    assert.equal(codeOf(binary, { ota: { ...off, auto_update_binary: true } }), null);
  });

  it("is a trust that is not established, for binaries alone", () => {
    assert.equal(codeOf(binary, { isTrustEstablished: false }), "trust_not_established");
    assert.equal(codeOf(rules, { isTrustEstablished: false }), null);
  });

  it("is a clock that is not trusted", () =>
    assert.equal(codeOf(rules, { isClockTrusted: false }), "clock_not_trusted"));

  it("is a wave to come, until it has come", () => {
    assert.equal(codeOf({ ...rules, due_at: "2026-11-20T12:00:00.001Z" }), "wave");
    assert.equal(codeOf({ ...rules, due_at: "2026-11-20T12:00:00.000Z" }), null);
  });

  it("is first of all what blocks everything", () => {
    assert.equal(
      codeOf(binary, {
        blocked: holdBecause("trust_not_installed"),
        isTrustEstablished: false,
        isClockTrusted: false,
      }),
      "trust_not_installed",
    );
  });
});
