import type Koa from "koa";
import type { OperationId } from "../../contract/operations.ts";
import { type ActorLinesOptions, createActorLines } from "../../journal/logs/actor-lines.ts";
import { createRepeats } from "../../journal/logs/repeats.ts";
import type { RequestClient } from "../client-address.ts";

export interface LoggedRequest {
  readonly requestId: string;
  /** null: the unix socket. */
  readonly client: RequestClient | null;
  /** The time until the answer was ready, or until a stream began. */
  readonly milliseconds: number;
}

/** Facts that the router has found by the end of a request. */
export interface RoutedCall {
  readonly operation: OperationId;
  /** Its caller was known, or signed in with it. */
  readonly isKnown: boolean;
  /** The caller as events name them; null: a stranger. */
  readonly user: string | null;
  /** The session that it belongs to; null: none. */
  readonly session: string | null;
}

/**
 * Writes the audit lines of requests, for administrators: changes, refusals and errors, with caller and address. A line
 * for each read would add a quarter to its cost. Lines of strangers are counted as the event log counts refusals, since
 * the journal drops lines that come too fast (journald.conf(5), RateLimitBurst), and a stranger can send thousands of
 * requests. Those of a known caller have a bound too.
 */
export type RequestLines = ReturnType<typeof createRequestLines>;

interface Line {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  readonly from: string;
  readonly milliseconds: number;
  readonly user: string | null;
  readonly session: string | null;
}

export function createRequestLines(options: ActorLinesOptions) {
  const lines = createActorLines(options);
  const write = ({ method, path, status, requestId, from, ...line }: Line, count: number): void =>
    lines.write(
      from === "local" ? null : line.user,
      status >= 500 ? "warning" : "info",
      `${method} ${path}`.slice(0, 256),
      {
        status,
        request_id: requestId,
        from,
        audit: true,
        ...(line.user !== null && { user: line.user }),
        ...(line.session !== null && { session: line.session }),
        // A duration would be that of one request among several.
        ...(count > 1 ? { count } : { duration_ms: Math.round(line.milliseconds * 10) / 10 }),
      },
    );
  const strangers = createRepeats<Line>({
    keyOf: ({ key }) => key,
    amongOthers: (line) => [{ ...line, key: "others", from: "others" }],
    tell: write,
    timers: options.timers,
  });
  return {
    add: (ctx: Koa.Context, { requestId, client, milliseconds }: LoggedRequest): void => {
      const { call } = ctx.state as { call?: RoutedCall };
      const { method, path, status } = ctx;
      // A stranger chooses a path without an operation, so it must not make a kind of its own.
      const key = `${call?.operation ?? "none"} ${status} ${client?.clientKey}`;
      const from = client?.address ?? "local";
      const { user = null, session = null } = call ?? {};
      const line = { key, method, path, status, requestId, from, milliseconds, user, session };
      if (client === null || call?.isKnown) write(line, 1);
      else strangers.add(line);
    },
    /** Writes the lines that were only counted. */
    close: (): void => {
      strangers.close();
      lines.close();
    },
  };
}
