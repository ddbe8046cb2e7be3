import { clockTrusts, clockWords } from "../clock-states.ts";
import { needCodes } from "../need-areas.ts";
import { product } from "../product.ts";
import { nullableTimestamp, strictObject, timestamp } from "../shapes.ts";
import { updateKinds } from "../update-kinds.ts";
import { clockSummary, timeModes, timeSync } from "./clock.ts";
import { event, eventReach } from "./events.ts";
import { facts } from "./system.ts";
import { hold } from "./update-reasons.ts";
import { updates } from "./updates.ts";

const nullableText = { type: ["string", "null"] } as const;
const nullableNumber = { type: ["number", "null"] } as const;
const count = { type: "integer", minimum: 0 } as const;

/** From good to bad; `rescue` besides: the state is damaged, and nothing else can be said. */
export const deviceStates = ["ok", "attention", "failing", "rescue"] as const;

const need = strictObject({
  code: { type: "string", enum: needCodes },
  level: {
    type: "string",
    enum: ["attention", "failing"],
    description: "failing: something does not work, or is about to stop",
  },
  facts: {
    type: "object",
    description:
      "depend on the code; `check` and `reason` are name and code of the health check that found it; names of users only for administrators, and for their tokens with users:read",
  },
  detail: { type: "string", description: "the need in English, and what to do" },
  remedy: {
    description: "null: not one line",
    ...strictObject({
      line: { type: "string", description: "to type as root" },
      deletes: { ...nullableText, description: "in English; null: nothing" },
    }),
    type: ["object", "null"],
  },
});

const clock = {
  description: "GET /api/system/time-sync says more",
  ...strictObject({
    word: { type: "string", enum: clockWords },
    state: timeSync.properties.state,
    trust: { type: "string", enum: clockTrusts },
    authenticated: timeSync.properties.authenticated,
    mode: { type: "string", enum: timeModes },
    offset_seconds: timeSync.properties.offset_seconds,
    uncertainty_seconds: nullableNumber,
    source: { ...nullableText, description: "the server or daemon that the time is of; null: none" },
    last_sync_at: nullableTimestamp,
    summary: clockSummary,
  }),
} as const;

const updateKind = strictObject({
  kind: { type: "string", enum: updateKinds },
  installed: { ...nullableText, description: "version; null: not installed by Steward" },
  available: { ...nullableText, description: "version of the release that is on offer for this device" },
  staged: { type: "boolean", description: "its verified payload is on this device" },
  blocker: {
    ...hold,
    description:
      "why no release of this kind is accepted, or the available one is not applied without a request; null: nothing",
  },
});

const updatesInShort = {
  description: "null in rescue. GET /api/updates says more",
  ...strictObject({
    state: updates.properties.state,
    summary: updates.properties.summary,
    is_automatic: { type: "boolean", description: "update.ota.enabled: checks are made by schedule" },
    kinds: { type: "array", items: updateKind },
    last_check: updates.properties.schedule.properties.last_check,
    last_success_at: nullableTimestamp,
    next_check_at: nullableTimestamp,
  }),
  type: ["object", "null"],
} as const;

const people = {
  description: "how many; null in rescue. GET /api/users names them",
  ...strictObject({
    accounts: count,
    administrators: { ...count, description: "that are enabled" },
    disabled: count,
    locked: count,
    two_factor_missing: {
      ...count,
      description: "enabled, and without the second factor that security.require_2fa asks for",
    },
    without_two_factor: { ...count, description: "enabled, and without a second factor" },
    must_change_password: count,
    tokens: { ...count, description: "API tokens that have not expired" },
  }),
  type: ["object", "null"],
} as const;

const host = {
  description: "GET /api/system/facts says more",
  ...strictObject({
    hostname: { type: "string" },
    uptime_seconds: { type: "number" },
    load: facts.properties.load,
    cores: { type: "integer" },
    memory: facts.properties.memory,
    disk: {
      description: "that the state lies on; null: it does not say",
      ...strictObject({
        path: { type: "string" },
        size_bytes: { type: "number" },
        available_bytes: { type: "number" },
      }),
      type: ["object", "null"],
    },
    temperature_celsius: { ...nullableNumber, description: "of the processor; null: it does not say" },
  }),
} as const;

export const latestCount = 5;

export const status = strictObject(
  {
    state: {
      type: "string",
      enum: deviceStates,
      description: "ok: nothing needs a person; attention and failing: the gravest level in `needs`",
    },
    device_name: { type: "string", description: "device.name, else the host name" },
    accent: { type: "string" },
    version: { type: "string" },
    server_time: timestamp,
    time_zone: {
      type: "string",
      description: "of the device, as the IANA time zone database names it; absent in rescue",
    },
    clock,
    updates: updatesInShort,
    people,
    host,
    product: { ...product, description: "absent: the host file names none" },
    needs: { type: "array", items: need, description: "what needs a person, the gravest first" },
    latest: {
      type: ["array", "null"],
      maxItems: latestCount,
      items: event,
      description: "the newest events that the caller may see, as in GET /api/events; null: none may be seen",
    },
    last_backup_at: {
      ...nullableTimestamp,
      description: "when the last backup arrived; null: never, or in rescue",
    },
    event_reach: {
      ...eventReach,
      type: ["object", "null"],
      description: "how far back the record of changes goes; null in rescue",
    },
  },
  ["accent", "last_backup_at", "product", "time_zone"],
);

/** The names of these shapes in the OpenAPI document. */
export const statusShapes = () => ({ Status: status, Need: status.properties.needs.items }) as const;
