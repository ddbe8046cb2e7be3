import type { IncomingHttpHeaders } from "node:http";
import type { RequestContext } from "../accounts/request-context.ts";
import type { Person, Program } from "../accounts/tokens/bearer.ts";
import { type Fault, StewardError } from "../contract/errors.ts";
import type { EventType } from "../contract/event-types.ts";
import type { OperationId, operations } from "../contract/operations.ts";
import type { Input, Output, Role } from "../contract/types.ts";
import type { EventActor, EventDetails, EventSubject } from "../journal/events/event.ts";
import type { RefreshCookie } from "./refresh-cookie.ts";

/** The caller. `local-root` came over the unix socket, which only root and the service's own user can open. */
export type Actor = Anonymous | { readonly kind: "local-root" } | Person | Program;

/** A caller without a token; or, for an operation that needs none, with a refused one (`refusal`). */
export interface Anonymous {
  readonly kind: "anonymous";
  readonly refusal?: StewardError;
}

export interface Call<Id extends OperationId> extends Input<Id> {
  actor: Actor;
  context: RequestContext;
  /** The cookie of a browser, if the operation may use it. */
  cookie: RefreshCookie | undefined;
  /** The Last-Event-ID header of a client that returns to a stream. */
  lastEventId: string | undefined;
  /** Undefined: it is no request, but a command without an agent. */
  headers: IncomingHttpHeaders | undefined;
  /** Adds facts to the event of this call; later facts replace earlier ones. */
  note: (facts: EventNote) => void;
  /** Throws `etag_mismatch` if the caller's If-Match is not the entity tag of `present`. */
  ifMatch: (present: object) => void;
}

export interface EventNote {
  /** The caller, if only the handler finds out who it is. */
  actor?: EventActor;
  /** The user or thing that it concerns. */
  subject?: EventSubject;
  details?: EventDetails;
  /** The type, if an operation has more than one. */
  type?: EventType;
  /** Nothing was changed, so there is no event. */
  isUnchanged?: boolean;
}

/** One message of an event stream (WHATWG HTML §9.2). */
export interface StreamMessage {
  /** A client that reconnects sends it as Last-Event-ID. */
  id?: string;
  event?: string;
  data: object;
}

/**
 * The result of a streaming operation: begins to send, and returns a function that stops it. `end` closes the stream;
 * `drained` settles when the client has taken most of the sent bytes, and is awaited between pages of past messages.
 */
export type StreamSource = (
  send: (message: StreamMessage) => void,
  end: () => void,
  drained: () => Promise<void>,
) => () => void;

/** An answer that the build has written: the path of its file, beside which `.gz` has the compressed one. */
export interface BuiltFile {
  readonly path: string;
}

/** An answer that is made while it is sent. `pieces` end early if the client goes. `taken`: it has read the last byte. */
export interface ByteAnswer {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly taken?: (() => void) | undefined;
}

/** An answer to the program before another server: without a body. */
export interface HeaderAnswer {
  readonly status: 200 | 204 | 302 | 401 | 403;
  readonly headers: Readonly<Record<string, string>>;
}

export type Handler<Id extends OperationId> = (call: Call<Id>) => Result<Id> | Promise<Result<Id>>;

type Result<Id extends OperationId> = (typeof operations)[Id]["response"] extends { stream: true }
  ? StreamSource
  : (typeof operations)[Id]["response"] extends { file: true }
    ? BuiltFile
    : (typeof operations)[Id]["response"] extends { bytes: true }
      ? ByteAnswer
      : (typeof operations)[Id]["response"] extends { headers: readonly number[] }
        ? HeaderAnswer
        : Output<Id>;

export interface FormHandler {
  /** Further errors of a body: of the members that fit its schema, if others do not. */
  faultsOf?: (sound: unknown) => readonly Fault[] | Promise<readonly Fault[]>;
  /** Throws unless this caller may: for an operation that is open, and judges its callers itself. */
  authorise?: Authorise;
}

/** The parts of a request that rights are judged by, before a byte of its body is read and while it lasts. */
export interface Caller {
  readonly actor: Actor;
  readonly context: RequestContext;
  readonly params: Readonly<Record<string, string>>;
  /** The X-Setup-Token header, where the operation may be called before there is an administrator. */
  readonly setupToken?: string | undefined;
  /** It was judged at its beginning, and is judged again. */
  readonly hasBegun?: boolean;
}

export type Authorise = (caller: Caller) => void | Promise<void>;

/** A handler whose caller gets all errors of the body at once. */
export function form<Handle extends (call: never) => unknown, Body>(
  handle: Handle,
  faultsOf: (sound: Body) => readonly Fault[] | Promise<readonly Fault[]>,
): Handle & FormHandler {
  // The rest of the body fits the schema, except for missing members.
  return Object.assign(handle, { faultsOf: (sound: unknown) => faultsOf(sound as Body) });
}

/** A handler whose operation is open, but not to each caller. */
export function judged<Handle extends (call: never) => unknown>(
  handle: Handle,
  authorise: Authorise,
): Handle {
  return Object.assign(handle, { authorise });
}

/** One handler for each operation: a missing one does not compile. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

export type HandlersOf<Group> = Pick<Handlers, keyof Group & OperationId>;

/** The rights of the caller; an anonymous one has none. */
export function roleOf(actor: Actor): Role | undefined {
  if (actor.kind === "local-root") return "admin";
  return actor.kind === "anonymous" ? undefined : actor.account.role;
}

/** The role for settings. An administrator's API token has an operator's: the rest needs the password, except a fleet's. */
export function writingRole(actor: Actor): Role {
  const role = roleOf(actor) ?? "readonly";
  if (actor.kind !== "token" || role !== "admin") return role;
  const { is_fleet, scopes } = actor.token;
  return is_fleet && scopes.includes("system:write") ? role : "operator";
}

/** The user who signed in. Throws `authentication_required`. */
export function personOf(actor: Actor): Person {
  if (actor.kind === "user") return actor;
  throw new StewardError("authentication_required", "Sign in first.");
}

/** The program that sent an API token. Throws `authentication_required`. */
export function programOf(actor: Actor): Program {
  if (actor.kind === "token") return actor;
  throw new StewardError("authentication_required", "Send an API token.");
}

/** The caller as events name them. */
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
