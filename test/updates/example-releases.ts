import type { StoredRelease } from "../../src/releases/update-record.ts";
import type { HoldConditions } from "../../src/updates/facts/hold-reason.ts";

/** Releases that a device has found. */
export const rules: StoredRelease = {
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
export const binary: StoredRelease = { ...rules, id: "2".repeat(32), kind: "binary", name: "demo" };

/** Nothing holds a release by these. */
export const good: HoldConditions = {
  blocked: null,
  blockers: { rules: null, binary: null },
  ota: {
    enabled: true,
    server: "https://updates.example",
    channel: "stable",
    check_interval: "6h",
    auto_update_rules: true,
    auto_update_binary: true,
    verify_signature: true,
    report: false,
  },
  isTrustEstablished: true,
  isClockTrusted: true,
  blocklist: new Map(),
  now: new Date("2026-11-20T12:00:00Z"),
};
