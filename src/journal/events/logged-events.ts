import type { Timers } from "../../host/ports.ts";
import type { Log } from "../logs/log.ts";
import type { EventFacts, EventSink } from "./event.ts";
import { createRefusalCounts } from "./refusal-counts.ts";

/** Writes events only as audit lines of the log: for an agent in rescue, which has no state to keep them in. */
export function createLoggedEvents(log: Log, timers: Timers) {
  const refusals = createRefusalCounts(
    (facts, code, count) => log("notice", facts.type, { ...auditMembers(facts), code, count }),
    { timers },
  );
  return {
    record: async (facts) => log("notice", facts.type, auditMembers(facts)),
    refuse: refusals.add,
    close: refusals.close,
  } satisfies EventSink & { close: () => void };
}

/** The members of an audit line; `audit` marks it as only for administrators. */
export function auditMembers(facts: EventFacts): Record<string, unknown> {
  const { actor, subject, from, requestId, details, said } = facts;
  return {
    audit: true,
    actor: actor.name ?? actor.kind,
    ...(subject && { subject: subject.name, subject_id: subject.id }),
    from,
    request_id: requestId,
    ...details,
    ...(said !== undefined && { said }),
  };
}
