import type { EventFacts, EventSink } from "./event.ts";
import type { Log } from "./log.ts";

/** Writes events as audit lines of the log alone: for an agent in rescue, which has no state to keep them in. */
export function createLoggedEvents(log: Log): EventSink {
  return {
    record: async (facts) => log("notice", facts.type, auditMembers(facts)),
    refuse: (facts, code) => log("notice", facts.type, { ...auditMembers(facts), code }),
  };
}

/** The members of an audit line; `audit` marks it as an administrator's business. */
export function auditMembers(facts: EventFacts): Record<string, unknown> {
  const { actor, subject, from, requestId, details } = facts;
  return {
    audit: true,
    actor: actor.name ?? actor.kind,
    ...(subject && { subject: subject.name, subject_id: subject.id }),
    from,
    request_id: requestId,
    ...details,
  };
}
