import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import Koa from "koa";
import { errorCodes } from "../contract/error-codes.ts";
import { StewardError } from "../contract/errors.ts";
import type { OperationId } from "../contract/operations.ts";
import { monotonicMilliseconds } from "../host/monotonic.ts";
import type { Log } from "../journal/logs/log.ts";
import { isForwarded, isPage } from "./hosts.ts";
import { type DescribeClock, toProblem } from "./problems.ts";
import { createRoutes, type RouterOptions } from "./router.ts";
import { apiHeaders, localSockets } from "./wire/connections.ts";
import type { RequestLines } from "./wire/request-lines.ts";
import { discardRest } from "./wire/uploads.ts";

export interface ServerOptions extends Omit<RouterOptions, "isLocal"> {
  /** True if a Host header names this device. */
  isOurHost: (host: string | undefined) => boolean;
  /** Serves a file of the console; false if the path has none. */
  serveFile: (ctx: Koa.Context) => Promise<boolean>;
  log: Log;
  requestLines: RequestLines;
  answered: (answer: Answered) => void;
  describeClock: DescribeClock;
}

export interface Answered {
  readonly operation: OperationId | undefined;
  readonly method: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
}

/** The HTTP application: each request gets an id and a check of its origin, then its route; errors become problems. */
export function createServer(options: ServerOptions): Koa {
  const app = new Koa();
  // Errors are logged below; koa's own handler would print them again.
  app.silent = true;
  const isLocal = (ctx: Koa.Context) => localSockets.has(ctx.req.socket);
  const routes = createRoutes({ ...options, isLocal });
  app.use(async (ctx, next) => {
    const begin = monotonicMilliseconds();
    const requestId = requestIdOf(ctx);
    ctx.res.setHeader("X-Request-Id", requestId);
    for (const name of headerNames) ctx.res.setHeader(name, apiHeaders[name]);
    try {
      checkPath(ctx);
      checkHostLines(ctx);
      checkOrigin(ctx, isLocal(ctx), options.isOurHost);
      await next();
    } catch (error) {
      fail(options, ctx, error, requestId);
      if (ctx.status === misdirected) await showMisdirected(ctx, options);
    }
    const milliseconds = monotonicMilliseconds() - begin;
    const { operation } = ctx.state as { operation?: OperationId };
    const { statusCode: status } = ctx.res;
    options.answered({ operation, method: ctx.req.method, status, milliseconds });
    // Checks of health are some each second, and by all three.
    if (["GET", "HEAD", "OPTIONS"].includes(ctx.req.method ?? "") && status < 500) return;
    const client = isLocal(ctx) ? null : options.clientOf(ctx.req);
    options.requestLines.add(ctx, { requestId, client, milliseconds });
  });
  app.use(routes.middleware);
  app.use(async (ctx) => {
    if (!(await options.serveFile(ctx))) routes.refuseUnrouted(ctx);
  });
  return app;
}

const headerNames = Object.keys(apiHeaders) as (keyof typeof apiHeaders)[];

let requestCount = 0;
const requestPrefix = randomBytes(6).toString("base64url");

function requestIdOf(ctx: Koa.Context): string {
  const inbound = ctx.req.headers["x-request-id"];
  if (typeof inbound === "string" && /^[A-Za-z0-9._-]{1,64}$/.test(inbound)) return inbound;
  requestCount += 1;
  return `${requestPrefix}-${requestCount.toString(36)}`;
}

/** The unix socket is for programs on this host: a browser or a proxy would forward requests of others. */
function checkOrigin(
  ctx: Koa.Context,
  isLocal: boolean,
  isOurHost: (host: string | undefined) => boolean,
): void {
  const { headers, url = "/" } = ctx.req;
  if (!isLocal) {
    // RFC 9112 §3.2.2: the host of an absolute form replaces that of the Host header.
    const authority = url.startsWith("/") ? undefined : /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
    if (headers.host === undefined) {
      if (isCheckOfHealth(ctx.req)) return;
      throw new StewardError(
        "malformed_request",
        "The request has no Host header. Without one, HTTP/1.0 gets `GET /api/health` and `OPTIONS` only.",
      );
    }
    if (isOurHost(headers.host) && (authority === undefined || isOurHost(authority))) return;
    throw new StewardError(
      "misdirected_request",
      "The name in the Host header is not a name of this device. Use its address, or one of its own names.",
    );
  }
  if (headers.origin === undefined && !isForwarded(headers)) return;
  throw new StewardError(
    "forbidden",
    "The local socket serves programs on this device, not browsers or proxies.",
  );
}

/** True for HAProxy's check of health: no browser sends HTTP/1.0, and nothing in the answer is worth an attack. */
function isCheckOfHealth({ httpVersion, method, url = "" }: IncomingMessage): boolean {
  const isRead = (method === "GET" || method === "HEAD") && /^\/api\/health(?:\/ready)?(?:\?|$)/.test(url);
  return httpVersion === "1.0" && (isRead || method === "OPTIONS");
}

/**
 * RFC 9112 §3.2: a request with more than one Host is refused, since a proxy could read another one than this server.
 */
function checkHostLines(ctx: Koa.Context): void {
  const { rawHeaders } = ctx.req;
  let lines = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") lines += 1;
  }
  if (lines > 1) throw new StewardError("malformed_request", "The request has more than one Host header.");
}

function checkPath(ctx: Koa.Context): void {
  try {
    const { path } = ctx.request;
    if (path.includes("%")) decodeURIComponent(path);
  } catch (cause) {
    // Reading the path of such a target throws again, also for the log.
    if (!(cause instanceof URIError)) ctx.req.url = "/";
    throw new StewardError("malformed_path", "The path is malformed.", { cause });
  }
}

const { status: misdirected } = errorCodes.misdirected_request;

/** A person reads a page. Its code is loaded with the first of them. */
async function showMisdirected(ctx: Koa.Context, options: ServerOptions): Promise<void> {
  if (!isPage(ctx.req, ctx.path) || !ctx.headers.accept?.includes("text/html")) return;
  const { misdirectedPage, pageHeaders } = await import("./wire/misdirected-page.ts");
  ctx.set(pageHeaders);
  ctx.body = misdirectedPage(ctx.req, options);
}

function fail(options: ServerOptions, ctx: Koa.Context, error: unknown, requestId: string): void {
  const problem = toProblem(error, requestId, options.describeClock);
  const { Allow } = problem.headers;
  // RFC 9110 §9.3.7: a path answers with its methods. HAProxy's default check takes that for a server that lives.
  if (ctx.method === "OPTIONS" && Allow !== undefined) {
    ctx.set("Allow", `${Allow}, OPTIONS`);
    ctx.status = 204;
    return;
  }
  if (!(error instanceof StewardError) || error.code === "internal_error") {
    const cause = error instanceof Error ? error.stack : String(error);
    options.log("error", "a request failed unexpectedly", { request_id: requestId, cause });
  }
  ctx.status = problem.status;
  ctx.set(problem.headers);
  // The rest of the body is not read, so the connection cannot be used again.
  if (!ctx.req.complete && !discardRest(ctx.req, problem.status)) ctx.set("Connection", "close");
  ctx.body = problem.text;
}
