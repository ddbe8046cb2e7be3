import type { RequestContext } from "../auth/request-context.ts";
import type { Person, Program } from "../auth/tokens/bearer.ts";
import { type Fault, StewardError } from "../contract/errors.ts";
import type { EventType } from "../contract/event-types.ts";
import type { OperationId, operations } from "../contract/operations.ts";
import type { Input, Output, Role } from "../contract/types.ts";
import type { EventActor, EventDetails, EventSubject } from "../journal/events/event.ts";
import type { RefreshCookie } from "./refresh-cookie.ts";

/** Who is calling. `local-root` is whoever could open the unix socket: root and the service's own user. */
export type Actor = Anonymous | { readonly kind: "local-root" } | Person | Program;

/** Somebody who sent no token; or, where none is needed, one that is not good, which `refusal` says. */
export interface Anonymous {
  readonly kind: "anonymous";
  readonly refusal?: StewardError;
}

/** One call of an operation: its validated input and who makes it from where. */
export interface Call<Id extends OperationId> extends Input<Id> {
  actor: Actor;
  context: RequestContext;
  /** The browser's, where the operation may use it and there is a browser. */
  cookie: RefreshCookie | undefined;
  /** Of a stream: the Last-Event-ID header, where a client comes back. */
  lastEventId: string | undefined;
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
  /** What it turned out to be, where the operation can be more than one thing. */
  type?: EventType;
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

/**
 * What a streaming operation gives back: begins to send, and returns how to stop. `end` closes the stream; `drained`
 * settles when the client has taken most of what was sent: to be waited for between pages of what is past.
 */
export type StreamSource = (
  send: (message: StreamMessage) => void,
  end: () => void,
  drained: () => Promise<void>,
) => () => void;

export type Handler<Id extends OperationId> = (call: Call<Id>) => Result<Id> | Promise<Result<Id>>;

type Result<Id extends OperationId> = (typeof operations)[Id]["response"] extends { stream: true }
  ? StreamSource
  : Output<Id>;

/** What is wrong with the members of a body that fit its schema, where others do not. */
export interface FormHandler {
  faultsOf?: (sound: unknown) => readonly Fault[] | Promise<readonly Fault[]>;
}

/** A handler of a form that is to hear of all that is wrong at once. */
export function form<Handle extends (call: never) => unknown, Body>(
  handle: Handle,
  faultsOf: (sound: Body) => readonly Fault[] | Promise<readonly Fault[]>,
): Handle & FormHandler {
  // What is left of the body fits the schema but for members that are missing.
  return Object.assign(handle, { faultsOf: (sound: unknown) => faultsOf(sound as Body) });
}

/** One handler an operation: a missing one does not compile. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

/** The rights of the caller; an anonymous one has none. */
export function roleOf(actor: Actor): Role | undefined {
  if (actor.kind === "local-root") return "admin";
  return actor.kind === "anonymous" ? undefined : actor.account.role;
}

/** The user that signed in. Throws `authentication_required`. */
export function personOf(actor: Actor): Person {
  if (actor.kind === "user") return actor;
  throw new StewardError("authentication_required", "Sign in first.");
}

/** The caller as events name him. */
export function eventActorOf(actor: Actor): EventActor {
  switch (actor.kind) {
    case "user":
      return { kind: "user", id: actor.account.id, name: actor.account.username };
    case "token":
      return { kind: "token", id: actor.account.id, name: `${actor.account.username}/${actor.token.name}` };
    default:
      return { kind: actor.kind, id: null, name: null };
  }
}
