import { clockStates, clockTrusts, sourceReasonCodes, sourceStates } from "../clock-states.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";

/** Positive offsets: this host is behind; add them. */
export const nullableNumber = { type: ["number", "null"] } as const;
export const nullableInteger = { type: ["integer", "null"] } as const;
const nullableText = { type: ["string", "null"] } as const;

export const timeModes = ["auto", "discipline", "delegate", "observe", "manual"] as const;

/** The codes of `summary` in the status: the state of the clock, and what keeps it from being right. */
export const clockSummaryCodes = [
  "not_measured",
  "rescue",
  "acquiring",
  "synchronised",
  "host_not_corrected",
  "manual",
  "set_by_hand",
  "conflict",
  "daemon_not_read",
  "daemon_synchronised",
  "daemon_unsynchronised",
  "to_be_confirmed",
  "no_servers",
  "no_time_source",
  "no_majority",
  "too_few",
  "too_few_authenticated",
  "suspect",
  "panic_threshold",
  "below_floor",
  "beyond_ceiling",
] as const;

/** The reasons why the host's own clock is measured and not set. */
export const notSetCodes = [
  "chosen",
  "no_daemon",
  "other_daemon",
  "external_change",
  "not_asked_to",
  "no_addon",
  "no_capability",
] as const;

/** The reasons why less is known of a time daemon than could be. */
export const daemonTroubleCodes = [
  "command_failed",
  "no_answer",
  "unknown_format",
  "not_observable",
] as const;

export const conflictCodes = ["other_daemon", "clock_stepped", "frequency_set"] as const;

export const leaps = ["none", "insert", "delete", "unknown"] as const;

const detail = { type: "string", description: "the same as an English sentence" } as const;

export const sourceReason = {
  description: "why; of a selected one or a candidate also why its last poll failed",
  ...strictObject({
    code: { type: "string", enum: sourceReasonCodes },
    detail: { type: "string", description: "the same in a few English words" },
    cause: { ...nullableText, description: "figures, a code, or OpenSSL's sentence" },
  }),
  type: ["object", "null"],
} as const;

export const clockSource = strictObject({
  id: { type: "string" },
  host: { type: "string", description: "as in time.servers, or as the time daemon names it" },
  address: nullableText,
  nts: { type: "boolean", description: "authenticated time is asked of it (RFC 8915)" },
  authenticated: { type: "boolean", description: "its present sample was authenticated" },
  state: { type: "string", enum: sourceStates },
  reason: sourceReason,
  offset_seconds: { ...nullableNumber, description: "positive: this host is behind it" },
  uncertainty_seconds: {
    ...nullableNumber,
    description: "root distance (RFC 5905 §11.1): the offset errs by this at most if it tells the truth",
  },
  delay_seconds: nullableNumber,
  jitter_seconds: nullableNumber,
  stratum: nullableInteger,
  reach: { ...nullableInteger, description: "a bit for each of the last eight polls, the newest lowest" },
});

const stepMade = {
  ...strictObject({ at: timestamp, seconds: { type: "number", description: "positive: forward" } }),
  type: ["object", "null"],
} as const;

const historyPoint = strictObject({
  at: timestamp,
  offset_seconds: { type: "number" },
  uncertainty_seconds: { type: "number" },
});

const kernelClock = {
  description: "what the kernel tells programs; null: not readable",
  ...strictObject({
    synchronised: { type: "boolean" },
    max_error_seconds: { type: "number" },
    est_error_seconds: { type: "number" },
    frequency_ppm: { type: "number" },
  }),
  type: ["object", "null"],
} as const;

const discipliner = strictObject({
  name: { ...nullableText, description: "the program that sets this clock; null: none" },
  active: { type: "boolean" },
  conflict: {
    description: "what else sets or changed this clock",
    ...strictObject({
      code: { type: "string", enum: conflictCodes },
      detail,
      daemon: { ...nullableText, description: "with other_daemon: its name" },
      step_seconds: { ...nullableNumber, description: "with clock_stepped; positive: forward" },
      frequency_ppm: { ...nullableNumber, description: "with frequency_set: what was set" },
    }),
    type: ["object", "null"],
  },
});

const selectedSource = {
  ...strictObject({
    id: { type: "string" },
    type: { type: "string", enum: ["ntp", "daemon", "manual"] },
    host: { type: "string" },
    stratum: nullableInteger,
    refid: nullableText,
  }),
  type: ["object", "null"],
} as const;

export const clockSummary = {
  description: "how the clock is, and what to do about it. Facts of other codes are null.",
  ...strictObject({
    code: { type: "string", enum: clockSummaryCodes },
    detail,
    offset_seconds: {
      ...nullableNumber,
      description:
        "to_be_confirmed, panic_threshold, suspect: what was measured; positive: the host is behind",
    },
    measured_at: { ...nullableTimestamp, description: "the time that the servers say" },
    agreeing: { ...nullableInteger, description: "sources that agree, where these are too few" },
    needed: { ...nullableInteger, description: "how many have to agree for that" },
    configured: { ...nullableInteger, description: "how many are set; too_few_authenticated: with NTS" },
    server: { ...nullableText, description: "suspect: the only server; no_time_source: one that refuses" },
    daemon: { ...nullableText, description: "the time daemon that sets this clock" },
    daemon_trouble: {
      description: "why not more is known of the daemon",
      ...strictObject({
        code: { type: "string", enum: daemonTroubleCodes },
        detail,
        cause: { ...nullableText, description: "the system's error, or what the daemon said" },
      }),
      type: ["object", "null"],
    },
    runs_on: { type: "boolean", description: "without its sources the clock runs on, see `state`" },
    not_set: {
      description: "why the host's own clock is not set",
      ...strictObject({
        code: { type: "string", enum: notSetCodes },
        detail,
        offset_seconds: {
          ...nullableNumber,
          description: "its error, which sign-in makes up for; null: less than 1 ms",
        },
      }),
      type: ["object", "null"],
    },
  }),
} as const;

/** Beside the trust. */
const authenticated = {
  type: "boolean",
  description:
    "more than half of the servers set, and two at least, agree authenticated; of a single server: it is",
} as const;

export const timeSync = {
  description: "Unknown figures are null.",
  ...strictObject({
    mode: { type: "string", enum: timeModes, description: "time.mode, or what auto comes to at present" },
    state: { type: "string", enum: clockStates },
    trust: {
      type: "string",
      enum: clockTrusts,
      description:
        "trusted: more than half of the servers set agree, two at least, to 0.5 s; accepted: less, or a person",
    },
    authenticated,
    source: selectedSource,
    offset_seconds: { ...nullableNumber, description: "of the host's clock; positive: it is behind, add it" },
    uncertainty_seconds: nullableNumber,
    delay_seconds: nullableNumber,
    jitter_seconds: nullableNumber,
    root_delay_seconds: nullableNumber,
    root_dispersion_seconds: nullableNumber,
    frequency_ppm: { ...nullableNumber, description: "error of the oscillator; positive: it is slow" },
    leap: { type: "string", enum: leaps },
    poll_seconds: nullableNumber,
    last_sync_at: nullableTimestamp,
    last_sync_age_seconds: nullableNumber,
    last_step: stepMade,
    floor_at: timestamp,
    kernel: kernelClock,
    discipliner,
    servers: strictObject({
      in_effect: { type: "boolean", description: "false: a time daemon uses its own list" },
      configured: { type: "array", items: { type: "string" } },
      offered: {
        type: "array",
        items: { type: "string" },
        description: "by DHCP (systemd-networkd); not asked unless set",
      },
    }),
    rtc: { ...nullableTimestamp, description: "the battery-backed clock, read as UTC" },
    server_time: timestamp,
    summary: clockSummary,
    sources: { type: "array", items: clockSource },
    history: { type: "array", items: historyPoint, description: "oldest first" },
    counters: {
      type: "object",
      additionalProperties: { type: "integer" },
      description: "since the agent's start",
    },
  }),
} as const;

export const syncRequest = partialObject({
  force: { type: "boolean", description: "also beyond the panic threshold" },
  time: { ...timestamp, description: "set the clock to this, where no other time is trusted" },
});

/** The names of these shapes in the OpenAPI document. */
export const clockShapes = () =>
  ({
    TimeSync: timeSync,
    ClockMode: timeSync.properties.mode,
    ClockState: timeSync.properties.state,
    ClockTrust: timeSync.properties.trust,
    ClockSummary: clockSummary,
    ClockNotSet: clockSummary.properties.not_set,
    DaemonTrouble: clockSummary.properties.daemon_trouble,
    ClockSource: clockSource,
    ClockSourceReason: sourceReason,
    ClockConflict: timeSync.properties.discipliner.properties.conflict,
    SyncRequest: syncRequest,
  }) as const;

export const clockExamples = { SyncRequest: { time: "2026-11-20T08:00:00.000Z" } };
