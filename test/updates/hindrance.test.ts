import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Circumstances, hindranceOf } from "../../src/updates/hindrance.ts";
import type { StoredRelease } from "../../src/updates/update-record.ts";

const rules: StoredRelease = {
  id: "1".repeat(32),
  kind: "rules",
  name: "base",
  version: "1.2.0",
  channel: "stable",
  length_bytes: 10,
  notes: "",
  urgent: false,
  path: "stable/rules/base-1.2.0.tar.gz",
  due_at: null,
};
const binary: StoredRelease = { ...rules, kind: "binary", name: "demo" };

const good: Circumstances = {
  blocked: null,
  ota: {
    enabled: true,
    server: "https://updates.example",
    channel: "stable",
    check_interval: "6h",
    auto_update_rules: true,
    auto_update_binary: true,
    verify_signature: true,
  },
  isTrustEstablished: true,
  isClockVouchedFor: true,
  setAside: new Map(),
  now: new Date("2026-11-20T12:00:00Z"),
};

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
    assert.equal(kindOf(rules, { isClockVouchedFor: false }), "clock"));

  it("is a wave to come, until it has come", () => {
    assert.equal(kindOf({ ...rules, due_at: "2026-11-20T12:00:00.001Z" }), "wave");
    assert.equal(kindOf({ ...rules, due_at: "2026-11-20T12:00:00.000Z" }), null);
  });

  it("is first of all what blocks everything", () => {
    assert.equal(
      kindOf(binary, { blocked: "No.", isTrustEstablished: false, isClockVouchedFor: false }),
      "blocked",
    );
  });
});
