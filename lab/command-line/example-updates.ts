import type {
  FailedRelease,
  HistoryEntry,
  PassedOver,
  Release,
  ReleaseHold,
  UpdateReason,
  UpdateSummary,
  Updates,
  UpdateTrial,
  UpdateTrust,
} from "../../src/contract/types.ts";

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
  status: {
    code: "not_confirmed",
    detail: "An administrator has yet to confirm the fingerprint: `steward update trust confirm`.",
    reason: null,
  },
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
  hold: null,
  staged: false,
};

export function exampleReason(code: UpdateReason["code"], detail: string): UpdateReason {
  return { code, detail, count: null, last_answer: null };
}

export function exampleUpdateSummary(code: UpdateSummary["code"], detail: string): UpdateSummary {
  return { code, detail, releases: [], at: null, reason: null, hold: null, problem: null };
}

export function exampleHold(code: ReleaseHold["code"], detail: string): ReleaseHold {
  return { code, detail, until: null, setting: null, reason: null };
}

const named = { kind: "rules", id: exampleRelease.id, name: "base", version: "1.3.0" } as const;

/** Rules on trial that have given two healthy answers. */
export const exampleTrial: UpdateTrial = {
  ...named,
  phase: "confirming",
  begun_at: "2026-11-20T14:00:00.000Z",
  deadline_at: "2026-11-20T14:05:00.000Z",
  health: {
    successes: 2,
    needed: 6,
    last: { code: "healthy", detail: "pump.service is active", at: "2026-11-20T14:00:10.000Z" },
  },
  boots: 1,
  crashes: 0,
  next: {
    code: "collect_answers",
    detail: "Four more healthy answers make it good.",
    answers_left: 4,
    until: "2026-11-20T14:05:00.000Z",
    reason: null,
  },
};

export const exampleFailed: FailedRelease = {
  ...named,
  at: "2026-11-20T14:05:00.000Z",
  why: "failed",
  reason: exampleReason("not_healthy_in_time", "It did not become healthy in time."),
  until: null,
  state: "open",
};

export const examplePassedOver: PassedOver[] = [
  {
    ...{ code: "other_channel", kind: "rules", name: "base", version: "1.4.0", offered: "beta" },
    ...{ here: "stable", detail: null, path: "beta/rules/base-1.4.0.tar.gz" },
  },
  {
    ...{ code: "withdrawn", kind: "binary", name: "demo", version: "2.0.0", offered: null },
    ...{ here: null, detail: "it eats\u001b data", path: "stable/binary/demo-2.0.0-linux-x64.tar.gz" },
  },
];

/** Rules that have proved healthy. */
export const exampleEntry: HistoryEntry = {
  sequence: 7,
  at: "2026-11-20T14:01:00.000Z",
  kind: "rules",
  release_id: exampleRelease.id,
  name: "base",
  version: "1.3.0",
  from_version: "1.2.0",
  outcome: "good",
  reason: exampleReason("healthy", "It proved healthy: pump.service is active."),
  restored_healthy: null,
  seconds: 31.25,
  log: [],
};

export const exampleFailure: HistoryEntry = {
  ...exampleEntry,
  outcome: "failed",
  reason: exampleReason("not_healthy_in_time", "It did not become healthy in time."),
  restored_healthy: true,
  log: ["engine: line 1 of rules.txt is no rule"],
};

/** A device that has nothing to do, but for what a test says. */
export function exampleUpdates({ schedule, ...change }: Change = {}): Updates {
  return {
    state: "idle",
    summary: exampleUpdateSummary("nothing_newer", "Nothing newer is offered."),
    channel: "stable",
    product: "demo",
    installed: { rules: "1.2.0", binary: null },
    available: { rules: null, binary: null },
    trust: exampleTrust,
    progress: null,
    trial: null,
    failed: [],
    held: [],
    postponed: { rules: null, binary: null },
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
