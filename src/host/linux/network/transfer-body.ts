import { uptime } from "node:process";
import type { TransferLimits } from "../../ports.ts";
import { tooSlow } from "./transfer-failures.ts";

export interface PacedBodyOptions {
  /** What comes, piece by piece. */
  readonly pieces: AsyncIterator<Uint8Array>;
  readonly limits: TransferLimits;
  readonly signal: AbortSignal;
  /** Shown where it is too slow. */
  readonly where: string;
  /** Ends what the pieces come from; called once, however the body ends. */
  readonly release: () => void;
  /** What a failure of the source is called. */
  readonly failure: (cause: unknown) => unknown;
}

export interface PacedBody {
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/**
 * A body that must keep coming. Only the time in which its reader waits for it counts, so that a slow disk here is not
 * held against the server, and a reader that holds back costs nothing: pieces are asked for one at a time.
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
    // Asked first: what an abort has closed is no whole body.
    if (isClosed && !signal.aborted) return { done: true, value: undefined };
    try {
      signal.throwIfAborted();
      const result = await pace.within(pieces.next());
      if (result.done === true) close();
      return result;
    } catch (error) {
      close();
      // The source fails when it is ended in the middle: why it was ended is the better answer.
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
  const judge = (): void => {
    if (receivedBytes < minimumBytesPerSecond * rateWindowSeconds) {
      throw tooSlow(
        `${where} sent ${receivedBytes} bytes in ${rateWindowSeconds} s; ` +
          `at least ${minimumBytesPerSecond} a second are expected.`,
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
        if (leftSeconds() <= 0) judge();
        return leftSeconds();
      });
      receivedBytes += result.value?.byteLength ?? 0;
      if (leftSeconds() <= 0 && result.done !== true) judge();
      else waitedSeconds += uptime() - since;
      return result;
    },
  };
}

/** Waits for a piece; `look` is asked now and then, says in how many seconds it wants to be asked again, and may throw. */
function ending<T>(piece: Promise<T>, signal: AbortSignal, look: () => number): Promise<T> {
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
        // A millisecond more than asked for: timers run out early by the fraction of one.
        timer = setTimeout(again, look() * 1_000 + 1).unref();
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
