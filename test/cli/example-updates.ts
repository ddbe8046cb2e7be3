import type { Release, Updates, UpdateTrust } from "../../src/contract/types.ts";

type Change = Partial<Omit<Updates, "schedule">> & { schedule?: Partial<Updates["schedule"]> };

export const exampleFingerprint = "0123456789abcdef".repeat(4);

export const exampleTrust: UpdateTrust = {
  installed: true,
  fingerprint: exampleFingerprint,
  root_version: 3,
  root_expires_at: "2027-11-20T00:00:00.000Z",
  keys: [
    { role: "root", threshold: 2, key_ids: ["a".repeat(64), "b".repeat(64), "c".repeat(64)] },
    { role: "timestamp", threshold: 1, key_ids: ["d".repeat(64)] },
  ],
  confirmed: false,
  confirmed_at: null,
  confirmed_by: null,
  proven: false,
  established: false,
  detail: "An administrator has yet to confirm the fingerprint: `steward update trust confirm`.",
};

export const exampleRelease: Release = {
  id: "e".repeat(32),
  kind: "rules",
  name: "base",
  version: "1.3.0",
  channel: "stable",
  length_bytes: 4_096,
  notes: "Fewer false alarms",
  urgent: false,
  path: "stable/rules/base-1.3.0.tar.gz",
  due_at: "2026-11-21T00:00:00.000Z",
  hindrance: null,
  staged: false,
};

/** A device that has nothing to do, but for what a test says. */
export function exampleUpdates({ schedule, ...change }: Change = {}): Updates {
  return {
    state: "idle",
    message: "Nothing newer is offered.",
    channel: "stable",
    product: "demo",
    installed: { rules: "1.2.0", binary: null },
    available: { rules: null, binary: null },
    trust: exampleTrust,
    progress: null,
    schedule: {
      enabled: true,
      server: "https://updates.example.net/demo",
      next_check_at: "2026-11-20T20:00:00.000Z",
      last_check: {
        at: "2026-11-20T14:00:00.000Z",
        outcome: "ok",
        code: null,
        detail: null,
        requests: 2,
        body_bytes: 312,
      },
      last_success_at: "2026-11-20T14:00:00.000Z",
      failures: 0,
      window_open: true,
      ...schedule,
    },
    ...change,
  };
}
