import type { OperationId } from "../../contract/operations.ts";
import type { Input, Output, Problem } from "../../contract/types.ts";
import { createStore } from "../store.ts";
import { authority } from "./authority.ts";
import { textOf } from "./body.ts";
import { connected, heard, lost } from "./connection.ts";
import { deviceTimeSaid } from "./device-time.ts";
import { readyToExplain } from "./explanations.ts";
import { Fault, isAgents, ProblemError, Unreachable } from "./problem.ts";

/** Path and method of an operation, and 1 where the session's cookie authenticates the request; without both: GET. */
type Route = readonly [path: string, method?: string, isByCookie?: 1];

/** The routes of all operations, behind `/api`. The build puts them here without the schemas, which the console does not need. */
declare const CONTRACT_ROUTES: Readonly<Record<OperationId, Route>>;

type DefinedMembers<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] };

/** Path parameters, query and body of an operation, those that it has; a body may be absent where it is optional. */
export type CallInput<Id extends OperationId> = Partial<DefinedMembers<Input<Id>>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The ETag of what was read, if it has one; if it has changed since, the answer is `etag_mismatch`. */
  readonly ifMatch?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds for an answer to begin, where the work of the agent may take longer than usual; of an upload, since its last piece left. */
  readonly patience?: number;
  /** The answer to the first attempt, where it was sent already. */
  readonly early?: Promise<Response> | undefined;
  /** Sends the request in place of `fetch`, and says with each piece of it that has left (./upload.ts). */
  readonly by?: (path: string, request: RequestInit, onPiece: () => void) => Promise<Response>;
}

interface Answer<Id extends OperationId> {
  readonly value: Output<Id>;
  /** Strong ETag; null: the operation has none. */
  readonly etag: string | null;
}

/**
 * Replaced after each write from this page, since data that is seldom read is then worth reading again; all data where it
 * is not known whether the write was carried out.
 */
export const lastWrite = createStore({ isSure: true });

/** Codes of actions that are required of the user. */
const restrictions = ["password_change_required", "two_factor_enrolment_required"];

/** A write that has waited too long for its answer. */
export interface LateWrite {
  /** Asks again later. */
  wait(): void;
  /** Its caller gets Unreachable. */
  giveUp(): void;
}

/** The one that the person is asked about; null: none is late. */
export const lateWrite = createStore<LateWrite | null>(null);

/** Seconds for an answer to begin: a device without power says nothing at all. */
const patienceSeconds = 20;

/** A read is sent at most this often, where the device answers in between. */
const mostReads = 3;

/** One call is sent at most this often: again with another token, and again after the password. */
const mostAttempts = 5;

/** Calls the agent: renews the session, asks for the password; reads wait. Throws ProblemError, Unreachable, Cancelled. */
export async function call<Id extends OperationId>(
  id: Id,
  input: CallInput<Id> = {},
  options: CallOptions = {},
): Promise<Output<Id>> {
  return (await callWithTag(id, input, options)).value;
}

export async function callWithTag<Id extends OperationId>(
  id: Id,
  input: CallInput<Id> = {},
  options: CallOptions = {},
): Promise<Answer<Id>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await exchange(id, input, options);
      const value = (await contentOf(id, options, response)) as Output<Id>;
      return { value, etag: response.headers.get("etag") };
    } catch (error) {
      // It is not known whether a write was carried out, so it is not sent twice.
      if (!(error instanceof Unreachable) || error.isWrite || attempt === mostReads) throw error;
    }
  }
}

/** The successful answer itself, for those that are read as they come. */
export async function exchange<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options: CallOptions,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const route = CONTRACT_ROUTES[id];
    const [, method = "GET", isByCookie] = route;
    const token = isByCookie ? null : authority.token();
    const response = await send(id, input, attempt === 1 ? options : { ...options, early: undefined }, token);
    if (response.ok) {
      if (token !== null && method !== "GET") lastWrite.set({ isSure: true });
      return response;
    }
    const problem = (await contentOf(id, options, response)) as Problem;
    if (problem.clock) deviceTimeSaid(problem.clock.server_time);
    if (restrictions.includes(problem.code)) authority.restricted(problem.code);
    if (problem.code === "forbidden") authority.forbidden();
    if (attempt === mostAttempts || !(await isMended(problem.code, token, route))) {
      await readyToExplain();
      throw new ProblemError(problem);
    }
    options.signal?.throwIfAborted();
  }
}

/** Removes the reason of a refusal. True: the call is worth sending again. */
async function isMended(code: string, token: string | null, [, , isByCookie]: Route): Promise<boolean> {
  if (code === "step_up_required") await authority.stepUp();
  else if (code === "shutting_down") await lost();
  else if (isByCookie || !["invalid_token", "authentication_required"].includes(code)) return false;
  else await authority.renew(token);
  return true;
}

async function send<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options: CallOptions,
  token: string | null,
): Promise<Response> {
  const method = methodOf(id);
  const { params, query, body } = input as {
    params?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
  };
  const headers = new Headers(options.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  if (options.ifMatch != null) headers.set("if-match", options.ifMatch);
  if (body !== undefined) headers.set("content-type", "application/json");
  const request = {
    method,
    headers,
    cache: "no-store" as const,
    redirect: "manual" as const,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const path = pathOf(id, params, query);
  await connected();
  const response = await answerTo(id, path, request, options).catch((error: unknown) =>
    unanswered(id, options, error),
  );
  if (!isAgents(response)) unanswered(id, options, response.status, true);
  heard();
  return response;
}

async function contentOf(id: OperationId, options: CallOptions, response: Response): Promise<unknown> {
  try {
    const text = await textOf(response);
    return response.status === 204 ? undefined : JSON.parse(text);
  } catch (error) {
    return unanswered(id, options, error, error instanceof SyntaxError);
  }
}

function unanswered(id: OperationId, { signal }: CallOptions, cause: unknown, isForeign?: boolean): never {
  signal?.throwIfAborted();
  if (cause instanceof Fault) throw cause;
  void lost();
  const isWrite = methodOf(id) !== "GET";
  if (isWrite) lastWrite.set({ isSure: false });
  throw new Unreachable(isWrite, isForeign, cause);
}

/** Like `fetch`, which would wait for ever: what can be sent again is ended, and about the rest the person is asked. */
async function answerTo(
  id: OperationId,
  path: string,
  request: RequestInit,
  { signal, early, by = fetch, patience = patienceSeconds }: CallOptions,
): Promise<Response> {
  signal?.throwIfAborted();
  const [, method, isByCookie] = CONTRACT_ROUTES[id];
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    if (lateWrite.read() === late) lateWrite.set(null);
  };
  const late: LateWrite = {
    giveUp: () => ending.abort(),
    wait: () => {
      settle();
      timer = setTimeout(onLate, patience * 1_000);
    },
  };
  const onLate = (): void => {
    if (!method || isByCookie) late.giveUp();
    else if (lateWrite.read() === null) lateWrite.set(late);
    else late.wait();
  };
  // Safari has AbortSignal.any only since 17.4.
  signal?.addEventListener("abort", late.giveUp);
  late.wait();
  try {
    // The early one has an end of its own.
    return await (early ?? by(path, { ...request, signal: ending.signal }, late.wait));
  } finally {
    settle();
  }
}

function methodOf(id: OperationId): string {
  return CONTRACT_ROUTES[id][1] ?? "GET";
}

function pathOf(
  id: OperationId,
  params: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const [template] = CONTRACT_ROUTES[id];
  const path = `/api${template}`.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? path : `${path}?${search}`;
}
