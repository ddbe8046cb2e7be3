import { nullableTimestamp, timestamp } from "../shapes.ts";

/** Positive offsets: this host is behind; add them. */
const nullableNumber = { type: ["number", "null"] } as const;
const nullableInteger = { type: ["integer", "null"] } as const;
const nullableText = { type: ["string", "null"] } as const;

export const timeModes = ["auto", "discipline", "delegate", "observe", "manual"] as const;

const clockStates = [
  "unsynchronised",
  "acquiring",
  "synchronised",
  "holdover",
  "freerun",
  "delegated",
  "manual",
  "faulty",
] as const;

export const clockTrusts = ["trusted", "accepted", "none"] as const;

export const sourceStates = [
  "selected",
  "candidate",
  "outlier",
  "falseticker",
  "unreachable",
  "kod",
  "suspect",
  "unused",
] as const;

export const leaps = ["none", "insert", "delete", "unknown"] as const;

export const clockSource = {
  type: "object",
  additionalProperties: false,
  required: [
    "id",
    "host",
    "address",
    "state",
    "reason",
    "offset_seconds",
    "uncertainty_seconds",
    "delay_seconds",
    "jitter_seconds",
    "stratum",
    "reach",
  ],
  properties: {
    id: { type: "string" },
    host: { type: "string", description: "as it stands in time.servers, or as the time daemon names it" },
    address: nullableText,
    state: { type: "string", enum: sourceStates },
    reason: { ...nullableText, description: "why it is in that state, in a few words; null: nothing to say" },
    offset_seconds: { ...nullableNumber, description: "positive: this host is behind it" },
    uncertainty_seconds: {
      ...nullableNumber,
      description:
        "root distance (RFC 5905 §11.1): the true offset lies within offset ± this, if it tells the truth",
    },
    delay_seconds: nullableNumber,
    jitter_seconds: nullableNumber,
    stratum: nullableInteger,
    reach: { ...nullableInteger, description: "a bit for each of the last eight polls, the newest lowest" },
  },
} as const;

const stepMade = {
  type: ["object", "null"],
  additionalProperties: false,
  required: ["at", "seconds"],
  properties: { at: timestamp, seconds: { type: "number", description: "positive: forward" } },
} as const;

const historyPoint = {
  type: "object",
  additionalProperties: false,
  required: ["at", "offset_seconds", "uncertainty_seconds"],
  properties: {
    at: timestamp,
    offset_seconds: { type: "number" },
    uncertainty_seconds: { type: "number" },
  },
} as const;

const kernelClock = {
  type: ["object", "null"],
  additionalProperties: false,
  required: ["synchronised", "max_error_seconds", "est_error_seconds", "frequency_ppm"],
  description: "what the kernel tells every program; null: it cannot be read",
  properties: {
    synchronised: { type: "boolean" },
    max_error_seconds: { type: "number" },
    est_error_seconds: { type: "number" },
    frequency_ppm: { type: "number" },
  },
} as const;

const discipliner = {
  type: "object",
  additionalProperties: false,
  required: ["name", "active", "conflict"],
  properties: {
    name: { ...nullableText, description: "who sets this clock: steward, a time daemon, or null: nobody" },
    active: { type: "boolean" },
    conflict: { ...nullableText, description: "whose hand is on the clock besides, in words" },
  },
} as const;

const selectedSource = {
  type: ["object", "null"],
  additionalProperties: false,
  required: ["id", "type", "host", "stratum", "refid"],
  properties: {
    id: { type: "string" },
    type: { type: "string", enum: ["ntp", "daemon", "manual"] },
    host: { type: "string" },
    stratum: nullableInteger,
    refid: nullableText,
  },
} as const;

export const timeSync = {
  type: "object",
  additionalProperties: false,
  required: [
    "mode",
    "state",
    "trust",
    "source",
    "offset_seconds",
    "uncertainty_seconds",
    "delay_seconds",
    "jitter_seconds",
    "root_delay_seconds",
    "root_dispersion_seconds",
    "frequency_ppm",
    "leap",
    "poll_seconds",
    "last_sync_at",
    "last_sync_age_seconds",
    "last_step",
    "floor_at",
    "kernel",
    "discipliner",
    "servers",
    "rtc",
    "server_time",
    "message",
    "sources",
    "history",
    "counters",
  ],
  description: "What this device knows of its clock. A figure that is not known is null.",
  properties: {
    mode: { type: "string", enum: timeModes, description: "time.mode, or what auto comes to at present" },
    state: { type: "string", enum: clockStates },
    trust: {
      type: "string",
      enum: clockTrusts,
      description:
        "trusted: more than half of the servers set agree, and two at least; accepted: fewer, a simple daemon, or a person",
    },
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
    servers: {
      type: "object",
      additionalProperties: false,
      required: ["in_effect", "configured"],
      properties: {
        in_effect: { type: "boolean", description: "false: a time daemon uses its own list" },
        configured: { type: "array", items: { type: "string" } },
      },
    },
    rtc: { ...nullableTimestamp, description: "the battery-backed clock, read as UTC" },
    server_time: timestamp,
    message: {
      type: "string",
      description: "one sentence: how it is, and what to do if something is to be done",
    },
    sources: { type: "array", items: clockSource },
    history: { type: "array", items: historyPoint, description: "oldest first" },
    counters: {
      type: "object",
      additionalProperties: { type: "integer" },
      description: "since the agent's start",
    },
  },
} as const;

export const syncRequest = {
  type: "object",
  additionalProperties: false,
  properties: {
    force: { type: "boolean", description: "also beyond the panic threshold" },
    time: { ...timestamp, description: "set the clock to this, where nobody else vouches for one" },
  },
} as const;
