import type { ServerResponse } from "node:http";
import { StewardError } from "../../contract/errors.ts";
import { monotonicMilliseconds } from "../../host/monotonic.ts";
import { type Actor, roleOf } from "../call.ts";
import { checkStreamPlaces } from "./stream-places.ts";

/** Requests that last: uploads, event streams, and answers that are made while they are sent. */
export type LastingRequests = ReturnType<typeof createLastingRequests>;

export interface NewLasting {
  readonly response: ServerResponse;
  readonly actor: Actor;
  /** The name of the operation, where one request has its place at a time; it gives way to a caller of a higher rank. */
  readonly upload?: string | undefined;
  readonly isStream?: boolean | undefined;
  /** Throws where the caller has lost the right to it. */
  readonly requireStill: () => Promise<void>;
}

export interface Lasting extends Pick<NewLasting, "requireStill"> {
  /** Aborted where it must end before its time; the reason is the error. */
  readonly signal: AbortSignal;
  /** All of it has come: nothing ends it any more. */
  over(): void;
}

/** Milliseconds between two judgements. */
const judgeMilliseconds = 1_000;

/** Hours of a whole request: 4 GiB, the largest upload, at 200 KB/s. A client takes a stream up again where it ended. */
export const longestHours = 6;

/** Seconds after which a caller who gave way may try again: a file is read and checked in some. */
const gaveWaySeconds = 10;

interface OpenRequest extends NewLasting {
  readonly began: number;
  readonly end: (why: unknown) => void;
}

export function createLastingRequests(longestMilliseconds = longestHours * 3_600_000) {
  const open = new Set<OpenRequest>();
  let timer: NodeJS.Timeout | undefined;
  const judge = (one: OpenRequest): void => {
    if (monotonicMilliseconds() - one.began > longestMilliseconds) one.end(tooLong());
    else one.requireStill().catch(one.end);
  };
  const streams = () => [...open].filter(({ isStream }) => isStream);
  return {
    /** From now on it is judged again each second, until it has ended. Throws `rate_limited` for a stream without a place. */
    begin: (request: NewLasting): Lasting => {
      const { isStream, actor, response, requireStill } = request;
      if (isStream)
        checkStreamPlaces(
          streams().map((one) => one.actor),
          actor,
        );
      for (const other of open) if (givesWay(other, request)) other.end(gaveWay());
      const ending = new AbortController();
      const over = (): void => {
        open.delete(one);
        if (open.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
      const end = (why: unknown): void => {
        if (!open.has(one)) return;
        over();
        ending.abort(why);
      };
      const one: OpenRequest = { ...request, began: monotonicMilliseconds(), end };
      open.add(one);
      response.once("close", over);
      timer ??= setInterval(() => open.forEach(judge), judgeMilliseconds).unref();
      return { signal: ending.signal, over, requireStill };
    },
    /** Ends all streams: the agent stops without waiting for them. */
    endStreams: (why: StewardError): void => {
      for (const stream of streams()) stream.end(why);
    },
  };
}

function givesWay(one: NewLasting, { upload, actor }: NewLasting): boolean {
  return upload !== undefined && one.upload === upload && rankOf(one.actor) < rankOf(actor);
}

/** Root on the device goes before administrators, and they before all others. */
function rankOf(actor: Actor): number {
  if (actor.kind === "local-root") return 2;
  return roleOf(actor) === "admin" ? 1 : 0;
}

function gaveWay(): StewardError {
  return new StewardError(
    "rate_limited",
    "An administrator, or root on the device, is sending another file, to which this one gave way. Nothing was changed. Send it again later.",
    { details: { retryAfterSeconds: gaveWaySeconds } },
  );
}

function tooLong(): StewardError {
  return new StewardError(
    "request_timeout",
    `The request lasted longer than ${longestHours} hours, the limit for each. Nothing was changed; a faster connection is needed.`,
  );
}
