import type { StoredSession } from "../auth/session.ts";
import type { Origin } from "../auth/sessions.ts";
import type { OperationId, operations } from "../contract/operations.ts";
import type { Input, Output, Role } from "../contract/types.ts";
import type { EventActor, EventDetails, EventSubject } from "../journal/event.ts";
import type { Account } from "../users/account.ts";
import type { Source } from "../users/passwords.ts";

/** Who is calling. `local-root` is whoever could open the unix socket: root and the service's own user. */
export type Actor =
  | { kind: "anonymous" }
  | { kind: "local-root" }
  | { kind: "user"; account: Account; session: StoredSession };

/** One call of an operation: its validated input and who makes it from where. */
export interface Call<Id extends OperationId> extends Input<Id> {
  actor: Actor;
  origin: Origin;
  source: Source;
  requestId: string;
  /** The Last-Event-ID header: the id of the last message that a stream's client got. */
  lastEventId?: string | undefined;
  /** What the event of this call should say besides; later facts go before earlier ones. */
  note: (facts: EventNote) => void;
  /** Throws `etag_mismatch` when the caller's If-Match is not about `present`. */
  ifMatch: (present: object) => void;
}

/** What a handler knows of the event that its call is written down as. */
export interface EventNote {
  /** Whoever turned out to be calling, where the request did not say. */
  actor?: EventActor;
  /** Whom or what it was about. */
  subject?: EventSubject;
  details?: EventDetails;
  /** Nothing was changed after all: nothing is written down. */
  isUnchanged?: boolean;
}

/** One message of an event stream (WHATWG HTML §9.2). */
export interface StreamMessage {
  /** What a client that comes back sends as Last-Event-ID. */
  id?: string;
  event?: string;
  data: object;
}

/** What a streaming operation gives back: begins to send, and returns how to stop. `end` closes the stream. */
export type StreamSource = (send: (message: StreamMessage) => void, end: () => void) => () => void;

export type Handler<Id extends OperationId> = (call: Call<Id>) => Result<Id> | Promise<Result<Id>>;

type Result<Id extends OperationId> = (typeof operations)[Id]["response"] extends { stream: true }
  ? StreamSource
  : Output<Id>;

/** One handler an operation: a missing one does not compile. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

/** The rights of the caller; an anonymous one has none. */
export function roleOf(actor: Actor): Role | undefined {
  if (actor.kind === "local-root") return "admin";
  return actor.kind === "user" ? actor.account.role : undefined;
}

/** The caller as events name him. */
export function eventActorOf(actor: Actor): EventActor {
  if (actor.kind === "user") return { kind: "user", id: actor.account.id, name: actor.account.username };
  return { kind: actor.kind, id: null, name: null };
}
