import type { EventType } from "../../../contract/event-types.ts";
import type { EventLog } from "../../../journal/events/event-log.ts";

/** Events on a page; between two starts there are no more of one type that count. */
const longestPage = 200;

export async function eventsOfNeeds(events: Pick<EventLog, "list">) {
  const ofType = async (type: EventType) => (await events.list({ type, limit: longestPage })).items;
  return [...(await ofType("need.began")), ...(await ofType("need.ended"))];
}
