import * as logs from "../schemas/logs.ts";
import { everyone, type Operation } from "./operation.ts";

/** What the agent and the units around it have to say. */
export const logOperations = {
  listLogs: {
    method: "GET",
    path: "/api/logs",
    summary: "Log lines of the agent and the allowed units, the newest first; audit lines for administrators",
    access: everyone,
    scope: "logs:read",
    query: logs.listLogsQuery,
    response: { status: 200, schema: logs.logList },
    errors: ["invalid_cursor", "rate_limited"],
  },
  streamLogs: {
    method: "GET",
    path: "/api/logs/stream",
    summary: "The same as they come, after those since `since` or Last-Event-ID",
    access: everyone,
    scope: "logs:read",
    query: logs.streamLogsQuery,
    response: { status: 200, schema: logs.logEntry, stream: true },
    errors: ["invalid_cursor"],
  },
} as const satisfies Record<string, Operation>;
