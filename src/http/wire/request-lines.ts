import type Koa from "koa";
import type { OperationId } from "../../contract/operations.ts";
import type { Log } from "../../journal/logs/log.ts";
import { createRepeats } from "../../journal/logs/repeats.ts";
import type { RequestClient } from "../client-address.ts";

/** A request that gets a line in the log. */
export interface LoggedRequest {
  readonly requestId: string;
  /** null: the unix socket. */
  readonly client: RequestClient | null;
}

/** Facts that the router has found by the end of a request. */
export interface RoutedCall {
  readonly operation: OperationId;
  /** Its caller was known, or signed in with it. */
  readonly isKnown: boolean;
}

/**
 * The audit lines of requests, for administrators: changes, refusals and errors, with caller and address. A line for each
 * read would add a quarter to its cost. Lines of strangers are counted as the event log counts refusals, since the journal
 * drops lines that come too fast (journald.conf(5), RateLimitBurst), and a stranger can send thousands of requests.
 */
export interface RequestLines {
  add(ctx: Koa.Context, request: LoggedRequest): void;
  /** Writes the lines that were only counted. */
  close(): void;
}

interface Line {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly requestId: string;
  readonly from: string;
}

export function createRequestLines(log: Log): RequestLines {
  const write = ({ method, path, status, requestId, from }: Line, count: number): void =>
    log(status >= 500 ? "warning" : "info", `${method} ${path}`.slice(0, 256), {
      status,
      request_id: requestId,
      from,
      audit: true,
      ...(count > 1 && { count }),
    });
  const strangers = createRepeats<Line>({
    keyOf: ({ key }) => key,
    amongOthers: (line) => ({ ...line, from: "others" }),
    tell: write,
  });
  return {
    add: (ctx, { requestId, client }) => {
      const { call } = ctx.state as { call?: RoutedCall };
      const { method, path, status } = ctx;
      // A path without an operation is the stranger's choice, and must not make a kind of its own.
      const key = `${call?.operation ?? "none"} ${status} ${client?.clientKey}`;
      const line = { key, method, path, status, requestId, from: client?.address ?? "local" };
      if (client === null || call?.isKnown) write(line, 1);
      else strangers.add(line);
    },
    close: strangers.close,
  };
}
