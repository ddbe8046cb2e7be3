import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import Router from "@koa/router";
import type Koa from "koa";
import type { RequestContext } from "../accounts/request-context.ts";
import { StewardError } from "../contract/errors.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { type OperationId, operationIds, operationOf } from "../contract/operations.ts";
import type { EventSink } from "../journal/events/event.ts";
import { isKnownTo } from "./answer-text.ts";
import type { Authenticate } from "./authenticate.ts";
import { refuseOutOfScope } from "./authorise.ts";
import { type Actor, type BuiltFile, type Caller, eventActorOf, roleOf } from "./call.ts";
import type { RequestClient } from "./client-address.ts";
import type { Answer, Dispatch } from "./dispatch.ts";
import { pageOriginOf } from "./hosts.ts";
import { bodyLimitsOf, readJson } from "./read-json.ts";
import type { RefreshCookie } from "./refresh-cookie.ts";
import { type RequestAttempt, recordRefusal, recordTolerance } from "./request-events.ts";
import { sendBytes } from "./wire/byte-answers.ts";
import { keepPlace } from "./wire/connection-places.ts";
import { readCoded, sendCoded, sendPlain, sendText } from "./wire/content-codings.ts";
import type { Lasting, LastingRequests } from "./wire/lasting-requests.ts";
import type { RoutedCall } from "./wire/request-lines.ts";
import { sendStream } from "./wire/streams.ts";
import { goAhead, readUpload } from "./wire/uploads.ts";

export interface RouterOptions {
  dispatch: Dispatch;
  authenticate: Authenticate;
  events: EventSink;
  lasting: LastingRequests;
  clientOf: (request: IncomingMessage) => RequestClient;
  refreshCookie: (ctx: Koa.Context) => RefreshCookie;
  /** True if a request came over the unix socket. */
  isLocal: (ctx: Koa.Context) => boolean;
  /** Throws if this operation is not available now: before setup, in rescue, or while the agent stops. */
  admit: (id: OperationId, isLocal: boolean) => void;
}

/**
 * The routes of the contract. Looks up a path without parameters: koa-router, which finds all the others, tries every route at every request and
 * builds a chain of middleware for it. It is made for the first path that it has to find.
 */
export function createRoutes(options: RouterOptions) {
  const answerOf = (id: OperationId) => (ctx: Koa.Context) => serve(options, id, ctx);
  const byPath = new Map<string, (ctx: Koa.Context) => Promise<void>>();
  for (const id of operationIds) {
    const { method, path } = operationOf(id);
    if (path.includes("{")) continue;
    byPath.set(`${method} ${path}`, answerOf(id));
    if (method === "GET") byPath.set(`HEAD ${path}`, answerOf(id));
  }
  let made: ReturnType<typeof createRouter> | undefined;
  const others = () => (made ??= createRouter(answerOf));
  return {
    /** Answers a request that has a route, and passes on every other. */
    middleware: ((ctx, next) => {
      const answer = byPath.get(`${ctx.req.method} ${ctx.request.path}`);
      if (!answer) return others().middleware(ctx, next);
      ctx.params = {};
      return answer(ctx);
    }) satisfies Koa.Middleware,
    /** Throws `not_found` or `method_not_allowed`. */
    refuseUnrouted: (ctx: Koa.Context) => refuseUnrouted(others().router, ctx),
  };
}

/** All operations' routes and middleware, made once; those without parameters are here for a path's methods. */
function createRouter(answerOf: (id: OperationId) => (ctx: Koa.Context) => Promise<void>) {
  const router = new Router({ sensitive: true, strict: true });
  for (const id of operationIds) {
    const { method, path } = operationOf(id);
    router.register(path.replace(/\{(\w+)\}/g, ":$1"), [method], answerOf(id));
  }
  return { router, middleware: router.routes() as unknown as Koa.Middleware };
}

/** Answers a request without a route: koa-router's own 404 and 405 are plain text. */
function refuseUnrouted(router: Router, ctx: Koa.Context): never {
  const { path: layers } = router.match(ctx.path, ctx.method);
  const allow = [...new Set(layers.flatMap((layer) => layer.methods))];
  if (allow.length === 0) throw new StewardError("not_found", "There is nothing at this path.");
  const message = `This path answers ${allow.join(", ")}, not ${ctx.method}.`;
  throw new StewardError("method_not_allowed", message, { details: { allow } });
}

async function serve(options: RouterOptions, id: OperationId, ctx: Koa.Context): Promise<void> {
  const isLocal = options.isLocal(ctx);
  ctx.state.operation = id;
  options.admit(id, isLocal);
  const { stream, mediaType, headers } = operationOf(id).response;
  if (stream) accepts(ctx, "text/event-stream");
  // RFC 9110 §12.4.1 leaves that to the server: scrapers ask for OpenMetrics only, and read the text of Prometheus as well.
  else if (mediaType === undefined && !headers) accepts(ctx, "application/json", "application/problem+json");
  const attempt: RequestAttempt = { actor: anonymous, context: contextOf(options, ctx, isLocal), noted: {} };
  let isDone = false;
  try {
    await perform({ options, id, operation: operationOf(id), ctx, attempt });
    isDone = attempt.noted.isUnchanged !== true;
  } catch (error) {
    recordRefusal(options.events, id, attempt, error);
    throw error;
  } finally {
    const isKnown = isDone || attempt.actor.kind !== "anonymous" || attempt.noted.actor !== undefined;
    const call: RoutedCall = { operation: id, isKnown, user: userOf(attempt), session: sessionOf(attempt) };
    ctx.state.call = call;
  }
}

/** The caller as events name them, also if only the handler found out who it is; null: a stranger. */
function userOf({ actor, noted }: RequestAttempt): string | null {
  const { name, kind } = noted.actor ?? eventActorOf(actor);
  return name ?? (kind === "anonymous" ? null : kind);
}

/** The session that a request belongs to, or that it began or went on with; null: none. */
function sessionOf({ actor, noted }: RequestAttempt): string | null {
  if (actor.kind === "user") return actor.session.id;
  const session = noted.details?.session;
  return actor.kind === "anonymous" && typeof session === "string" ? session : null;
}

const anonymous: Actor = { kind: "anonymous" };

/** The client of the unix socket. */
const local: Pick<RequestContext, "address" | "clientKey" | "keyOfUser"> = {
  address: "local",
  clientKey: null,
};

function contextOf({ clientOf }: RouterOptions, ctx: Koa.Context, isLocal: boolean): RequestContext {
  // Member by member: a spread would be a twentieth of the cost of a read.
  const { address, clientKey, keyOfUser } = isLocal ? local : clientOf(ctx.req);
  return {
    address,
    clientKey,
    keyOfUser,
    userAgent: ctx.req.headers["user-agent"] ?? "",
    requestId: String(ctx.res.getHeader("X-Request-Id")),
    pageOrigin: pageOriginOf(ctx.req.headers),
  };
}

interface Routed {
  readonly options: RouterOptions;
  readonly id: OperationId;
  readonly operation: Operation;
  readonly ctx: Koa.Context;
  readonly attempt: RequestAttempt;
}

async function perform(routed: Routed): Promise<void> {
  const { options, id, operation, ctx, attempt } = routed;
  const { context, noted } = attempt;
  attempt.actor = await identify(routed);
  if ("account" in attempt.actor) keepPlace(ctx.req.socket, attempt.actor.account.id);
  const isJudgedFirst = operation.body !== undefined || lasts(operation);
  const lasting = isJudgedFirst ? await beginLasting(routed) : undefined;
  const body = await bodyOf(routed, lasting);
  if ("isTolerated" in attempt.actor && attempt.actor.isTolerated) {
    await recordTolerance(options.events, id, attempt);
  }
  lasting?.signal.throwIfAborted();
  const work = options.dispatch.run(id, {
    actor: attempt.actor,
    context,
    noted,
    cookie: operation.cookie && context.clientKey !== null ? options.refreshCookie(ctx) : undefined,
    lastEventId: (operation.response.stream && headerOf(ctx, "last-event-id")) || undefined,
    headers: ctx.req.headers,
    setupToken: setupTokenOf(routed),
    ifMatch: ctx.req.headers["if-match"],
    idempotencyKey: headerOf(ctx, "idempotency-key"),
    tellBudget: (headers) => ctx.set({ ...headers }),
    params: ctx.params,
    query: searchOf(ctx.req.url ?? ""),
    body,
  });
  if (!lasting) return respond(ctx, await work);
  const { signal } = lasting;
  const { bytes, stream, ...answer } = await unlessEnded(work, signal);
  const { mediaType = "application/octet-stream" } = answer;
  if (bytes) return sendBytes(ctx, bytes, { mediaType, signal });
  if (!stream) return respond(ctx, answer);
  sendStream(ctx.res, stream, signal);
  ctx.respond = false;
}

function respond(ctx: Koa.Context, answer: Answer): void | Promise<void> {
  if (answer.file) return sendFile(ctx, answer.file);
  if (answer.mediaType !== undefined) return sendText(ctx, answer.text ?? "", answer.mediaType);
  return send(ctx, answer);
}

/**
 * Rights first: a stranger's body is not read, and takes no place. Undefined: the request lasts no longer than others.
 */
async function beginLasting(routed: Routed): Promise<Lasting | undefined> {
  const { options, id, operation, ctx, attempt } = routed;
  const { actor } = attempt;
  await options.dispatch.authorise(id, callerOf(routed, actor));
  if (!lasts(operation)) return undefined;
  const requireStill = () => requireRight(routed, actor);
  const { upload, response } = operation;
  const kind = { upload: upload && id, isStream: response.stream };
  return options.lasting.begin({ response: ctx.res, actor, ...kind, requireStill });
}

function lasts({ upload, response: { stream, bytes } }: Operation): boolean {
  return upload !== undefined || stream === true || bytes === true;
}

/** Throws where the caller of a request that lasts, `former`, has lost the right to it. */
async function requireRight(routed: Routed, former: Actor): Promise<void> {
  const { options, id, operation } = routed;
  const isStream = operation.response.stream === true;
  // Clients take a stream up again with another access token.
  const actor = await identify(routed, !isStream);
  await options.dispatch.authorise(id, { ...callerOf(routed, actor), hasBegun: true });
  if (isStream && roleOf(actor) !== roleOf(former))
    throw new StewardError("forbidden", "The stream shows only what the role at its beginning may see.");
}

function callerOf(routed: Routed, actor: Actor): Caller {
  const { ctx, attempt } = routed;
  return { actor, context: attempt.context, params: ctx.params, setupToken: setupTokenOf(routed) };
}

function setupTokenOf({ operation, ctx }: Routed): string | undefined {
  return operation.beforeSetup && headerOf(ctx, "x-setup-token");
}

/** A body may take 25 s, a file longer, and a user who is disabled meanwhile must be refused. */
async function bodyOf(routed: Routed, lasting: Lasting | undefined): Promise<unknown> {
  const { operation, ctx, attempt } = routed;
  const { upload, body, bodyOptional } = operation;
  if (upload && lasting) return readUpload(ctx.req, ctx.res, { ...upload, lasting });
  if (!body) return undefined;
  const isThere = !bodyOptional || hasBody(ctx.req.headers);
  if (isThere) goAhead(ctx.req, ctx.res);
  const read = isThere ? await readJson(ctx.req, bodyLimitsOf(attempt.actor.kind)) : undefined;
  attempt.actor = await identify(routed);
  return read;
}

/** The answer; or throws what ends the request before, and no one takes the answer that is being made. */
async function unlessEnded(work: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const ended = once(signal, "abort").then((): never => signal.throwIfAborted() as never);
  try {
    return await Promise.race([work, ended]);
  } catch (error) {
    if (signal.aborted)
      work.then(({ bytes }) => bytes?.pieces[Symbol.asyncIterator]().return?.()).catch(() => undefined);
    throw error;
  }
}

/** RFC 9112 §6.3: the headers that announce a body. */
function hasBody(headers: Koa.Context["req"]["headers"]): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && Number(length) !== 0);
}

function headerOf(
  ctx: Koa.Context,
  name: "last-event-id" | "idempotency-key" | "x-setup-token",
): string | undefined {
  const header = ctx.req.headers[name];
  return typeof header === "string" ? header : undefined;
}

const noQuery = new URLSearchParams();

function searchOf(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  return mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1));
}

/** The caller of the moment. An open operation treats a refused token, or one without the scope, as none. */
function identify({ options, operation, ctx, attempt }: Routed, hasBegun = false): Promise<Actor> {
  const { address, clientKey } = attempt.context;
  const [isLocal, isClockTolerant] = [clientKey === null, operation.clockTolerant === true];
  const known = options.authenticate(ctx, { isLocal, address, isClockTolerant, hasBegun });
  return operation.access === "open" ? knownOrNot(known, operation) : known;
}

async function knownOrNot(known: Promise<Actor>, operation: Operation): Promise<Actor> {
  try {
    const actor = await known;
    if (actor.kind === "token") refuseOutOfScope(operation, actor);
    return actor;
  } catch (error) {
    if (error instanceof StewardError) return { kind: "anonymous", refusal: error };
    throw error;
  }
}

/** `also`: what a client may ask for in its place. */
function accepts(ctx: Koa.Context, mediaType: string, ...also: string[]): void {
  const { accept } = ctx.req.headers;
  if (accept === undefined || accept === "*/*") return;
  // Usual headers need no parsing; a weight of zero excludes (RFC 9110 §12.4.2).
  if (accept.includes(mediaType) && !accept.includes("q=0")) return;
  if (ctx.accepts(mediaType, ...also)) return;
  throw new StewardError("not_acceptable", `The answer is ${mediaType}, which the Accept header excludes.`);
}

/** Uses `ctx.response` and `ctx.res`: each of ctx's own members is a delegate, which costs one more look-up. */
function send(ctx: Koa.Context, answer: Answer): void {
  const { req, res, response } = ctx;
  if (answer.status !== 200) response.status = answer.status;
  if (answer.location !== undefined) res.setHeader("Location", answer.location);
  if (answer.headers) {
    // koa would write the words of the status as a body.
    ctx.respond = false;
    return void res.writeHead(answer.status, answer.headers).end();
  }
  if (answer.text === undefined) return;
  if (answer.etag !== undefined) {
    res.setHeader("ETag", answer.etag);
    if (isKnownTo(req, answer.etag)) {
      response.status = 304;
      return;
    }
  }
  sendPlain(ctx, answer.status, answer.text, "application/json");
}

/** Clients keep it, and ask for it again with its entity tag. */
async function sendFile(ctx: Koa.Context, { path }: BuiltFile): Promise<void> {
  const content = await readCoded(ctx, path, builtForms);
  if (content === null)
    throw new StewardError("internal_error", "The program's file is missing: install it again.");
  ctx.set("Cache-Control", "no-cache");
  sendCoded(ctx, content, "application/json");
}

/** The forms of a file that the build has written for an answer. */
const builtForms: ReadonlySet<string> = new Set(["", ".gz"]);
