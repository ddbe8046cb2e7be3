import { moment } from "../durations.ts";
import { nullableTimestamp, partialObject, strictObject, timestamp } from "../shapes.ts";
import { listOf, pageOf } from "./lists.ts";
import { anyObject } from "./system.ts";

/** The severities of syslog, the gravest first: the place of a word is its number (RFC 5424 §6.2.1). */
export const severityWords = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"] as const;

/** Which requests are asked for by how they ended; `failed`: of either of the last two. */
export const requestStatuses = ["2xx", "3xx", "4xx", "5xx", "failed"] as const;

/** The form of a unit's name that is asked for or allowed (systemd.unit(5)). */
export const unitName = {
  type: "string",
  pattern: "^[A-Za-z0-9:_.@\\\\-]{1,128}\\.(service|timer|socket|mount|target)$",
  "x-expected": "a systemd unit with its suffix, such as steward.service",
  description: "a systemd unit with its suffix, such as steward.service",
} as const;

const cursor = { type: "string", description: "names this line; opaque" } as const;

const request = {
  description:
    "of an audit line about requests to the agent: what its message and members say of them; absent for other lines",
  ...strictObject({
    method: { type: "string" },
    path: { type: "string" },
    status: { type: "integer" },
    duration_ms: {
      type: ["number", "null"],
      description: "until the answer was ready, of a stream until it began; null for several requests",
    },
    user: {
      type: ["string", "null"],
      description:
        "who sent it: a user, an API token as USER/TOKEN, or `local-root`; null for strangers and lines of older agents",
    },
    count: { type: "integer", minimum: 1, description: "requests that this line stands for" },
  }),
} as const;

export const logEntry = strictObject(
  {
    time: timestamp,
    unit: { type: "string", description: "the unit that wrote the line, or that systemd wrote it about" },
    identifier: {
      type: ["string", "null"],
      description: "what the program calls itself (SYSLOG_IDENTIFIER)",
    },
    priority: { type: "string", enum: severityWords },
    message: {
      type: "string",
      description: "as it was written, including control characters; cut after 16 Ki characters",
    },
    pid: { type: ["integer", "null"] },
    audit: { type: "boolean", description: "an audit line (who did what); only administrators see these" },
    members: {
      oneOf: [anyObject, { type: "null" }],
      description:
        "the members that one of the agent's own lines has beside its message; null for other lines",
    },
    request,
    cursor,
  },
  ["request"],
);

const filters = {
  unit: unitName,
  since: moment,
  priority: { type: "string", enum: severityWords, description: "the lowest severity shown" },
  q: {
    type: "string",
    minLength: 1,
    maxLength: 256,
    description: "part of the message, taken literally; case is ignored",
  },
  status: {
    type: "string",
    enum: requestStatuses,
    description: "only requests with this outcome (failed: 4xx and 5xx)",
  },
  user: {
    type: "string",
    minLength: 1,
    maxLength: 128,
    description: "only requests of this user or their API tokens, as `request.user` names them",
  },
  others_only: {
    type: "boolean",
    description: "leave out requests of the caller's own session that were not refused",
  },
} as const;

export const listLogsQuery = partialObject({ ...filters, until: moment, ...pageOf(100) });

/** Unit and priority are no filters here: their values are what is counted. */
export const countLogsQuery = partialObject({
  since: moment,
  until: moment,
  q: filters.q,
  status: filters.status,
  user: filters.user,
  others_only: filters.others_only,
});

export const streamLogsQuery = partialObject(filters);

const lines = listOf(logEntry, "the newest first");

export const logList = {
  ...lines,
  required: [...lines.required, "source"],
  properties: {
    ...lines.properties,
    total: {
      type: ["integer", "null"],
      minimum: 0,
      description:
        "lines on all pages; null: not known, as of a journal that this page has not read to its end",
    },
    next_cursor: {
      ...lines.properties.next_cursor,
      description:
        "`cursor` of the next page; null: this is the last one. A page may have fewer lines than asked for, or none, and still not be the last",
    },
    source: {
      type: "string",
      enum: ["journal", "agent"],
      description: "`agent`: this host has no journal to read, so these are the agent's own lines alone",
    },
  },
} as const;

/** Numbers of matching lines, the newest 10,000 at most. */
export const logCounts = strictObject({
  units: {
    type: "object",
    additionalProperties: { type: "object", additionalProperties: { type: "integer" } },
  },
  from: { ...nullableTimestamp, description: "older lines are not counted; null: all are" },
});

/** The names of these shapes in the OpenAPI document. */
export const logShapes = () =>
  ({
    LogEntry: logEntry,
    LogList: logList,
    LogCounts: logCounts,
    LogSeverity: logEntry.properties.priority,
  }) as const;
