import { uptime } from "node:process";
import type { TransferLimits } from "../../ports.ts";
import { tooSlow } from "./transfer-failures.ts";

export interface PacedBodyOptions {
  /** The source of the body. */
  readonly pieces: AsyncIterator<Uint8Array>;
  readonly limits: TransferLimits;
  readonly signal: AbortSignal;
  /** The name of the source in an error. */
  readonly where: string;
  /** Ends the source of the pieces; called once, however the body ends. */
  readonly release: () => void;
  /** Makes the error for a failure of the source. */
  readonly failure: (cause: unknown) => unknown;
}

export interface PacedBody {
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * A body with a minimum rate. Only the time in which the reader waits counts, so that a slow local disk is not blamed on
 * the server. Pieces are asked for one at a time, so that a slow reader needs no memory.
 */
export function pacedBody(options: PacedBodyOptions): PacedBody {
  const { pieces, signal, release, failure } = options;
  const pace = createPace(options);
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    release();
  };
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    // An aborted body is not complete, although it is closed.
    if (isClosed && !signal.aborted) return { done: true, value: undefined };
    try {
      signal.throwIfAborted();
      const result = await pace.within(pieces.next());
      if (result.done === true) close();
      return result;
    } catch (error) {
      close();
      // The source fails when it is aborted: the reason of the abort is the better error.
      throw signal.aborted ? signal.reason : failure(error);
    }
  };
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    close();
    return { done: true, value: undefined };
  };
  return { body: { [Symbol.asyncIterator]: () => ({ next, return: leave }) }, close };
}

interface Pace {
  within(piece: Promise<IteratorResult<Uint8Array>>): Promise<IteratorResult<Uint8Array>>;
}

function createPace({ limits, signal, where }: PacedBodyOptions): Pace {
  const { minimumBytesPerSecond, rateWindowSeconds } = limits;
  let waitedSeconds = 0;
  let receivedBytes = 0;
  let since = 0;
  const checkRate = (): void => {
    if (receivedBytes < minimumBytesPerSecond * rateWindowSeconds) {
      throw tooSlow(
        `${where} sent ${receivedBytes} bytes in ${rateWindowSeconds} s; ` +
          `at least ${minimumBytesPerSecond} bytes a second are expected.`,
      );
    }
    waitedSeconds = 0;
    receivedBytes = 0;
    since = uptime();
  };
  const leftSeconds = (): number => rateWindowSeconds - waitedSeconds - (uptime() - since);
  return {
    within: async (piece) => {
      since = uptime();
      const result = await ending(piece, signal, () => {
        if (leftSeconds() <= 0) checkRate();
        return leftSeconds();
      });
      receivedBytes += result.value?.byteLength ?? 0;
      if (leftSeconds() <= 0 && result.done !== true) checkRate();
      else waitedSeconds += uptime() - since;
      return result;
    },
  };
}

/** Waits for a piece. `check` is called from time to time, returns the seconds until its next call, and may throw. */
function ending<T>(piece: Promise<T>, signal: AbortSignal, check: () => number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => settle(() => reject(signal.reason));
    const settle = (how: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      how();
    };
    const again = (): void => {
      try {
        // One millisecond more, because timers may fire a fraction of a millisecond early.
        timer = setTimeout(again, check() * 1_000 + 1).unref();
      } catch (error) {
        settle(() => reject(error));
      }
    };
    again();
    signal.addEventListener("abort", onAbort);
    piece.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}
