import type { OperationId } from "../../contract/operations.ts";
import type { Input, Output } from "../../contract/types.ts";
import { createStore } from "../store.ts";
import { authority } from "./authority.ts";
import { connected, heard, lost } from "./connection.ts";
import { deviceTimeSaid } from "./device-time.ts";
import { readyToExplain } from "./explanations.ts";
import { ProblemError, readProblem, Unreachable } from "./problem.ts";

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
  /** The answer to the first attempt, where it was sent already. */
  readonly early?: Promise<Response> | undefined;
  /** Sends the request in place of `fetch` (./upload.ts). */
  readonly by?: (path: string, request: RequestInit) => Promise<Response>;
}

interface Answer<Id extends OperationId> {
  readonly value: Output<Id>;
  /** Strong ETag; null: the operation has none. */
  readonly etag: string | null;
}

/** Replaced after each write from this page, since data that is seldom read is then worth reading again. */
export const lastWrite = createStore({});

/** Codes of actions that are required of the user. */
const restrictions = ["password_change_required", "two_factor_enrolment_required"];

/** Milliseconds for a read to begin its answer: a device without power says nothing at all. */
const patienceMilliseconds = 20_000;

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
  for (;;) {
    const response = await exchange(id, input, options);
    const text = await response.text().catch((error: unknown) => unanswered(id, options, error));
    if (text === null) continue;
    const value = (text === "" ? undefined : JSON.parse(text)) as Output<Id>;
    return { value, etag: response.headers.get("etag") };
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
      if (token !== null && method !== "GET") lastWrite.set({});
      return response;
    }
    const problem = await readProblem(response);
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
    signal: options.signal ?? null,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const path = pathOf(id, params, query);
  for (;;) {
    await connected();
    try {
      const by = options.by ?? (method === "GET" ? patiently : fetch);
      const response = await (options.early ?? by(path, request));
      heard();
      return response;
    } catch (error) {
      unanswered(id, options, error);
    }
  }
}

/** Throws unless it is to be sent again: it is not known whether a write was carried out, so it is not sent twice. */
function unanswered(id: OperationId, { signal }: CallOptions, error: unknown): null {
  signal?.throwIfAborted();
  void lost();
  if (methodOf(id) !== "GET") throw new Unreachable("no answer", { cause: error });
  return null;
}

/** Like `fetch`, which would wait for ever. */
async function patiently(path: string, { signal, ...request }: RequestInit): Promise<Response> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = setTimeout(end, patienceMilliseconds);
  // Safari has AbortSignal.any only since 17.4.
  signal?.addEventListener("abort", end);
  try {
    return await fetch(path, { ...request, signal: ending.signal });
  } finally {
    clearTimeout(timer);
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
