import { agentEvent, type EventFacts, type EventSink } from "../../journal/events/event.ts";
import type { SessionClient } from "../request-context.ts";
import type { StoredSession } from "./session.ts";
import type { SessionsOptions } from "./sessions.ts";

/** Records the misuse of a refresh token, and the end of a session that the agent has ended, with its user. */
export function sessionEvents(
  events: EventSink,
  nameOf: (userId: string) => string | undefined,
): Pick<SessionsOptions, "onReuse" | "onUnbound" | "onEnd"> {
  const subjectOf = (id: string) => ({ id, name: nameOf(id) ?? id });
  const facts = (
    type: "session.reused" | "session.cookie_refused",
    { id, user_id }: StoredSession,
    { address, requestId }: SessionClient,
  ): EventFacts => ({
    ...agentEvent(type, { session: id }),
    subject: subjectOf(user_id),
    ...{ from: address, requestId: requestId ?? null },
  });
  return {
    onEnd: ({ id, user_id }, because) =>
      events.record({
        ...agentEvent("session.ended", { session: id, because }),
        subject: subjectOf(user_id),
      }),
    onReuse: (session, client) => events.record(facts("session.reused", session, client)),
    // A program that holds the cookie can cause it at will, so repeats are counted in one event.
    onUnbound: (session, client) =>
      events.refuse(facts("session.cookie_refused", session, client), "invalid_token"),
  };
}
