import type { RequestContext } from "../accounts/request-context.ts";
import { StewardError } from "../contract/errors.ts";
import { refusalOf } from "../contract/operations/refusals.ts";
import { type OperationId, operationOf } from "../contract/operations.ts";
import type { EventSink } from "../journal/events/event.ts";
import { type Actor, type EventNote, eventActorOf } from "./call.ts";

/** A request as far as it got, for the event of its refusal. */
export interface RequestAttempt {
  actor: Actor;
  readonly context: RequestContext;
  readonly noted: EventNote;
}

/** Records what is refused; the next step of a procedure is no refusal. */
export function recordRefusal(
  events: EventSink,
  id: OperationId,
  { actor, context, noted }: RequestAttempt,
  error: unknown,
): void {
  if (!(error instanceof StewardError)) return;
  const { code, details } = error;
  const type = refusalOf(operationOf(id), code, details, actor.kind === "token");
  if (type === null) return;
  const facts = factsOf(id, { actor, context });
  const subject = details.about ?? noted.subject ?? null;
  const reason = details.reason !== undefined && { reason: details.reason };
  const client = context.clientKey ?? context.address;
  const { said } = details;
  events.refuse({ ...facts, type, subject, client, said, details: { ...facts.details, ...reason } }, code);
}

/** docs/design/trusted-time.md, rule 6: each use of a token whose times are wrong is recorded. */
export function recordTolerance(events: EventSink, id: OperationId, attempt: RequestAttempt): Promise<void> {
  return events.record({ type: "token.tolerated", subject: null, ...factsOf(id, attempt) });
}

function factsOf(id: OperationId, { actor, context }: Pick<RequestAttempt, "actor" | "context">) {
  const { address: from, requestId } = context;
  return { actor: eventActorOf(actor), from, requestId, details: { operation: id } };
}
