import type { AuditEvent } from "../../../contract/types.ts";
import { call } from "../../client/call.ts";
import { csvOf, everyItem } from "../../lists/csv.ts";
import type { EventQuery } from "./events-query.ts";

/** Events that are read at once; the agent gives no more. */
const limit = 200;

/** The same in every language, for programs that read it: the names of the API. */
const heads = [
  ...["seq", "time", "type", "outcome", "code", "count", "actor_kind", "actor", "subject"],
  ...["from", "request_id", "details"],
];

/** All events that match, the newest first, as a table. */
export async function eventsAsCsv(query: EventQuery): Promise<{ text: string; count: number }> {
  const events = await everyItem((cursor) =>
    call("listEvents", { query: { ...query, limit, ...(cursor !== undefined && { cursor }) } }),
  );
  return { text: csvOf(heads, events.map(cellsOf)), count: events.length };
}

function cellsOf(event: AuditEvent) {
  const { seq, time, type, outcome, code, count, actor, subject, from, request_id, details } = event;
  return [
    ...[seq, time, type, outcome, code, count, actor.kind, actor.name, subject?.name ?? null],
    ...[from, request_id, Object.keys(details).length === 0 ? null : JSON.stringify(details)],
  ];
}
