import type Koa from "koa";
import type { OperationId } from "../../contract/operations.ts";
import type { Log } from "../../journal/logs/log.ts";
import { createRepeats } from "../../journal/logs/repeats.ts";
import type { RequestSource } from "../client-address.ts";

/** A request that is to have a line in the log. */
export interface LoggedRequest {
  readonly requestId: string;
  /** Null: the device itself. */
  readonly source: RequestSource | null;
}

/** What the router has found out of a request by its end. */
export interface RoutedCall {
  readonly operation: OperationId;
  /** A known caller made it, or it succeeded and made its caller known. */
  readonly isKnown: boolean;
}

/**
 * The audit lines of requests: changes, refusals and errors, for administrators, who did what from where. A line for each
 * read would cost a quarter of it. Those of strangers are counted as the event log counts refusals: the journal drops
 * what comes too fast (journald.conf(5), RateLimitBurst), and anybody can send eight thousand requests.
 */
export interface RequestLines {
  add(ctx: Koa.Context, request: LoggedRequest): void;
  /** Writes what was counted and not yet written. */
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
    add: (ctx, { requestId, source }) => {
      const { call } = ctx.state as { call?: RoutedCall };
      const { method, path, status } = ctx;
      // What was asked for in vain is the stranger's choice, and makes no kinds.
      const key = `${call?.operation ?? "none"} ${status} ${source?.clientKey}`;
      const line = { key, method, path, status, requestId, from: source?.address ?? "local" };
      if (source === null || call?.isKnown) write(line, 1);
      else strangers.add(line);
    },
    close: strangers.close,
  };
}
