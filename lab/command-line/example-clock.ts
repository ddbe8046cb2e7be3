import type { ClockSummary, TimeSource, TimeSync } from "../../src/contract/types.ts";

export function exampleSummary(change: Partial<ClockSummary> = {}): ClockSummary {
  return {
    code: "acquiring",
    detail: "The time servers are being asked.",
    offset_seconds: null,
    measured_at: null,
    agreeing: null,
    needed: null,
    configured: null,
    server: null,
    daemon: null,
    daemon_trouble: null,
    runs_on: false,
    not_set: null,
    ...change,
  };
}

/** A clock of which nothing is known, but for what a test says. */
export function exampleClock(change: Partial<TimeSync> = {}): TimeSync {
  return {
    mode: "observe",
    state: "acquiring",
    ...{ trust: "none", authenticated: false },
    source: null,
    offset_seconds: null,
    uncertainty_seconds: null,
    delay_seconds: null,
    jitter_seconds: null,
    root_delay_seconds: null,
    root_dispersion_seconds: null,
    frequency_ppm: null,
    leap: "unknown",
    poll_seconds: null,
    last_sync_at: null,
    last_sync_age_seconds: null,
    last_step: null,
    floor_at: "2026-01-01T00:00:00.000Z",
    kernel: null,
    discipliner: { name: null, active: false, conflict: null },
    servers: { in_effect: true, configured: [], offered: [] },
    rtc: null,
    server_time: "2026-01-02T03:04:05.000Z",
    summary: exampleSummary(),
    sources: [],
    history: [],
    counters: {},
    ...change,
  };
}

export function exampleReason(detail: string): NonNullable<TimeSource["reason"]> {
  return { code: "timeout", cause: null, detail };
}

export function exampleSource(change: Partial<TimeSource> = {}): TimeSource {
  return {
    id: "ntp1.example",
    host: "ntp1.example",
    address: null,
    ...{ nts: false, authenticated: false },
    state: "unused",
    reason: null,
    offset_seconds: null,
    uncertainty_seconds: null,
    delay_seconds: null,
    jitter_seconds: null,
    stratum: null,
    reach: null,
    ...change,
  };
}

/** A source with its offset and uncertainty (s). */
export function heardSource(
  host: string,
  [offset_seconds, uncertainty_seconds]: readonly [number, number | null],
  change: Partial<TimeSource> = {},
): TimeSource {
  const heard = { state: "candidate", stratum: 2, reach: 0o377 } as const;
  return exampleSource({ id: host, host, offset_seconds, uncertainty_seconds, ...heard, ...change });
}
