import { uptime } from "node:process";
import type { TransferLimits } from "../../ports.ts";
import { TransferFailure } from "../../transfer-failure.ts";

export interface PaceOptions {
  readonly limits: TransferLimits;
  readonly signal: AbortSignal;
  readonly where: string;
  /** Ends the source of the pieces, however the body ends. */
  readonly release: () => void;
  /** Makes the error for a failure of the source. */
  readonly failure: (cause: unknown) => unknown;
}

/** A body's pieces, one at a time, at a minimum rate. Only the reader's waiting counts: a slow disk blames no server. */
export async function* paced(
  pieces: AsyncIterable<Uint8Array>,
  { limits, signal, where, release, failure }: PaceOptions,
): AsyncGenerator<Uint8Array> {
  const { minimumBytesPerSecond, rateWindowSeconds } = limits;
  const source = pieces[Symbol.asyncIterator]();
  let [waitedSeconds, receivedBytes, since] = [0, 0, 0];
  const leftSeconds = (): number => rateWindowSeconds - waitedSeconds - (uptime() - since);
  const checkRate = (): number => {
    if (leftSeconds() > 0) return leftSeconds();
    if (receivedBytes < minimumBytesPerSecond * rateWindowSeconds) {
      throw new TransferFailure(
        "too_slow",
        `${where} sent ${receivedBytes} bytes in ${rateWindowSeconds} s; ` +
          `at least ${minimumBytesPerSecond} bytes a second are expected.`,
        { isSent: true },
      );
    }
    [waitedSeconds, receivedBytes, since] = [0, 0, uptime()];
    return leftSeconds();
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      since = uptime();
      const result = await ending(source.next(), signal, checkRate);
      if (result.done === true) return;
      receivedBytes += result.value.byteLength;
      checkRate();
      waitedSeconds += uptime() - since;
      yield result.value;
    }
  } catch (error) {
    // The source fails when it is aborted: the reason of the abort is the better error.
    throw signal.aborted ? signal.reason : failure(error);
  } finally {
    release();
  }
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
