import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Circumstances, hindranceOf } from "../../../src/updates/apply/hold-reason.ts";
import type { StoredRelease } from "../../../src/updates/update-record.ts";
import { binary, good, rules } from "../example-releases.ts";

function kindOf(release: StoredRelease, overrides: Partial<Circumstances> = {}): string | null {
  return hindranceOf(release, { ...good, ...overrides })?.kind ?? null;
}

describe("what stands in the way of fetching unasked", () => {
  const off = { ...good.ota, auto_update_rules: false, auto_update_binary: false };

  it("is nothing where all is well", () => {
    assert.deepEqual([kindOf(rules), kindOf(binary)], [null, null]);
  });

  it("is the setting of its own kind", () => {
    assert.deepEqual(
      [kindOf(rules, { ota: off }), kindOf(binary, { ota: off })],
      ["not_automatic", "not_automatic"],
    );
    assert.equal(kindOf(rules, { ota: { ...off, auto_update_rules: true } }), null);
    assert.equal(kindOf(binary, { ota: { ...off, auto_update_binary: true } }), null);
  });

  it("is a trust that is not established, for binaries alone", () => {
    assert.equal(kindOf(binary, { isTrustEstablished: false }), "not_automatic");
    assert.equal(kindOf(rules, { isTrustEstablished: false }), null);
  });

  it("is a clock that nobody vouches for", () =>
    assert.equal(kindOf(rules, { isClockTrusted: false }), "clock"));

  it("is a wave to come, until it has come", () => {
    assert.equal(kindOf({ ...rules, due_at: "2026-11-20T12:00:00.001Z" }), "wave");
    assert.equal(kindOf({ ...rules, due_at: "2026-11-20T12:00:00.000Z" }), null);
  });

  it("is first of all what blocks everything", () => {
    assert.equal(
      kindOf(binary, { blocked: "No.", isTrustEstablished: false, isClockTrusted: false }),
      "blocked",
    );
  });
});
