import type { IncomingHttpHeaders } from "node:http";
import { type InputError, StewardError } from "../contract/errors.ts";
import type { EventType } from "../contract/event-types.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { type OperationId, operationIds, operationOf } from "../contract/operations.ts";
import type { Uptime } from "../host/ports.ts";
import type { EventSink } from "../journal/events/event.ts";
import { etagOf, isTagged, textOf, weaklyTagged } from "./answer-text.ts";
import { authorise } from "./authorise.ts";
import {
  type BuiltFile,
  type ByteAnswer,
  type Caller,
  type EventNote,
  eventActorOf,
  type FormHandler,
  type Handlers,
  type HeaderAnswer,
  type StreamSource,
} from "./call.ts";
import { createKeptAnswers } from "./kept-answers.ts";
import type { RefreshCookie } from "./refresh-cookie.ts";
import { type CheckedInput, createInputCheck, type InputCheck, type RawInput, refuse } from "./validate.ts";
import { type BudgetHeaders, createWriteBudget } from "./write-budget.ts";

export interface DispatchRequest extends RawInput, Omit<Caller, "params"> {
  noted: EventNote;
  cookie: RefreshCookie | undefined;
  lastEventId: string | undefined;
  headers?: IncomingHttpHeaders | undefined;
  ifMatch: string | undefined;
  idempotencyKey?: string | undefined;
  /** Called with the rest of the caller's budget, if the operation has one. */
  tellBudget?: (headers: BudgetHeaders) => void;
}

export interface Answer {
  status: number;
  /** JSON, or text of `mediaType`; undefined if there is no body. */
  text: string | undefined;
  etag: string | undefined;
  /** The type of a text that is not JSON. */
  mediaType?: string;
  location: string | undefined;
  headers?: Readonly<Record<string, string>>;
  stream?: StreamSource;
  /** In place of text, if the build has written it. */
  file?: BuiltFile;
  /** In place of text, if it is made while it is sent. */
  bytes?: Bytes;
}

/** The bytes of an answer. `sent` records the event of the call. */
export interface Bytes extends ByteAnswer {
  readonly sent: (bytes: number) => Promise<void>;
}

/** Runs operations: rights first, then input, then the handler; for requests and for the local command line alike. */
export type Dispatch = ReturnType<typeof createDispatch>;

const untold = (): void => undefined;

export function createDispatch(handlers: Handlers, events: EventSink, uptime: Uptime) {
  const budget = createWriteBudget(uptime);
  const keptAnswers = createKeptAnswers<Answer>(uptime);
  const entries = new Map(
    operationIds.map((id) => {
      // The check makes the input fit the operation's types; TypeScript cannot follow that through the table.
      const handle = handlers[id] as ((call: unknown) => unknown) & FormHandler;
      return [id, { operation: operationOf(id), handle, check: undefined as InputCheck | undefined }];
    }),
  );
  const entryOf = (id: OperationId) => {
    const entry = entries.get(id);
    if (!entry) throw new StewardError("not_found", `There is no operation "${id}".`);
    return entry;
  };
  const judge = (id: OperationId, caller: Caller): void | Promise<void> => {
    const { operation, handle } = entryOf(id);
    authorise(operation, caller.actor, caller.params, caller.hasBegun);
    return handle.authorise?.(caller);
  };
  return {
    /** Throws unless this caller may. It is asked before a body is read, by `run`, and while a request lasts. */
    authorise: judge,
    /** Throws a StewardError. */
    run: async (id: OperationId, request: DispatchRequest): Promise<Answer> => {
      const entry = entryOf(id);
      const { operation, handle } = entry;
      // No await where it is not needed: it would cost each request a turn of the microtasks.
      const judging = judge(id, request);
      if (judging !== undefined) await judging;
      // Made when it is first needed: a start makes 83 of these entries.
      entry.check ??= createInputCheck(id);
      const input = entry.check(request);
      const { params, query, body, bodyErrors } = input;
      if (bodyErrors.length > 0) refuse([...bodyErrors, ...(await furtherErrors(handle, input))], "body");
      const { actor, context, noted, cookie, lastEventId, headers } = request;
      budget.take(operation, actor, request.tellBudget ?? untold);
      const ifMatch = ifMatchCheck(request.ifMatch);
      const note = (facts: EventNote): void => void Object.assign(noted, facts);
      // Member by member: a spread of the input took a twelfth of a request.
      const call = { params, query, body, actor, context, cookie, ifMatch, lastEventId, headers, note };
      const perform = async (): Promise<Answer> => {
        const result = await handle(call);
        if (operation.response.bytes) return bytesAnswer(events, operation, request, result as ByteAnswer);
        if (operation.event && !noted.isUnchanged)
          await record(events, noted.type ?? operation.event, request);
        return answer(operation, result);
      };
      const key = operation.idempotencyKey && request.idempotencyKey;
      return key === undefined ? perform() : keptAnswers.once({ key, actor, body }, perform);
    },
  };
}

/** Errors of the members that fit the schema: the client gets all errors at once. */
async function furtherErrors(
  { faultsOf }: FormHandler,
  { bodyErrors, soundBody }: CheckedInput,
): Promise<InputError[]> {
  const sound = faultsOf && soundBody();
  if (!faultsOf || sound === undefined) return [];
  const faults = await faultsOf(sound);
  const known = new Set(bodyErrors.map(({ pointer }) => pointer));
  return faults.flatMap(({ pointer, code, detail }) =>
    known.has(pointer) ? [] : [{ pointer, code, detail }],
  );
}

/** The event waits until the answer has left. */
function bytesAnswer(
  events: EventSink,
  { event, response: { status, mediaType } }: Operation,
  request: DispatchRequest,
  made: ByteAnswer,
): Answer {
  const sent = async (bytes: number): Promise<void> => {
    request.noted.details = { ...request.noted.details, bytes };
    if (event) await record(events, event, request);
  };
  const type = mediaType && { mediaType };
  return { status, text: undefined, etag: undefined, location: undefined, ...type, bytes: { ...made, sent } };
}

function record(
  events: EventSink,
  type: EventType,
  { actor, context, noted }: DispatchRequest,
): Promise<void> {
  return events.record({
    type,
    actor: noted.actor ?? eventActorOf(actor),
    subject: noted.subject ?? null,
    from: context.address,
    requestId: context.requestId,
    details: noted.details ?? {},
  });
}

function answer(operation: Operation, result: unknown): Answer {
  const { status, etag, weakEtag, schema, collection, stream, file, headers, mediaType } = operation.response;
  const bare = { status, text: undefined, etag: undefined, location: undefined };
  // The type of the handlers ensures that such operations return a source, a file, headers or a text.
  if (headers) return { ...bare, ...(result as HeaderAnswer) };
  if (stream) return { ...bare, stream: result as StreamSource };
  if (file) return { ...bare, file: result as BuiltFile };
  if (mediaType !== undefined)
    return { status, text: result as string, etag: undefined, mediaType, location: undefined };
  if (!schema || typeof result !== "object" || result === null) return bare;
  const location = collection && "id" in result ? `${collection}/${String(result.id)}` : undefined;
  if (weakEtag) {
    const { text, etag: weakTag } = weaklyTagged(result, weakEtag);
    return { status, text, etag: weakTag, location };
  }
  const tag = etag && etagOf(result);
  return { status, text: textOf(result), etag: tag, location };
}

function ifMatchCheck(header: string | undefined): (present: object) => void {
  return (present) => {
    if (header === undefined || isTagged(header, etagOf(present))) return;
    throw new StewardError(
      "etag_mismatch",
      "Another request changed this after you read it. Read it again, and repeat your change if it still makes sense.",
    );
  };
}
