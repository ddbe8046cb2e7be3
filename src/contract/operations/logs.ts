import * as logs from "../schemas/logs.ts";
import { everyone, type Operation } from "./operation.ts";

const reading = { method: "GET", access: everyone, scope: "logs:read" } as const;

export const logOperations = {
  listLogs: {
    ...reading,
    path: "/api/logs",
    summary:
      "Log lines of the agent and the allowed units, newest first; audit lines only for administrators",
    description:
      "A page may have fewer lines than `limit` and still not be the last: ask on until `next_cursor` is null. `source` says whether the lines are the journal's or the agent's own alone.",
    query: logs.listLogsQuery,
    response: { status: 200, schema: logs.logList },
    errors: ["rate_limited"],
  },
  countLogs: {
    ...reading,
    path: "/api/logs/counts",
    summary: "Count lines by unit and priority",
    description: "Newest lines, up to 10,000.",
    query: logs.countLogsQuery,
    response: { status: 200, schema: logs.logCounts },
    errors: ["rate_limited"],
  },
  streamLogs: {
    ...reading,
    path: "/api/logs/stream",
    summary: "The same lines as they arrive, from `since` or Last-Event-ID on",
    description:
      "An event stream, as GET /api/events/stream. Continue with Last-Event-ID, which is the `cursor` of the last line.",
    query: logs.streamLogsQuery,
    response: { status: 200, schema: logs.logEntry, stream: true },
    errors: ["invalid_cursor"],
  },
} as const satisfies Record<string, Operation>;
