import { messageOf } from "../../../contract/errors.ts";
import type { Timers } from "../../../host/ports.ts";
import type { Listener } from "../../../http/wire/listeners.ts";
import type { Log } from "../../../journal/logs/log.ts";

/** A listener that is restored when it is gone, and tried again while its place is taken. */
export type KeptListener = ReturnType<typeof keepListening>;

/** Seconds between two checks that it is reached, and between two tries. */
const lookSeconds = 60;

/** Milliseconds for the requests of a listener that clients no longer reach. */
const goneMilliseconds = 4_000;

export function keepListening(
  listen: () => Promise<Listener>,
  timers: Timers,
  log: Log,
  /** A listener that already listens. */
  first?: Listener,
  /** Resolves to true while clients reach the listener. */
  isReached: () => boolean = () => true,
  /** Called at each try that fails. */
  onFailure?: () => void,
) {
  let listener = first;
  let problem: string | null = null;
  let isStopped = false;
  let cancel = (): void => undefined;
  const look = async (): Promise<void> => {
    if (listener !== undefined && isReached()) return;
    const isAgain = listener !== undefined || problem !== null;
    // First: closing a unix socket removes the file of its name.
    await listener?.stop(goneMilliseconds);
    listener = undefined;
    try {
      listener = await listen();
      problem = null;
      if (isAgain) log("notice", "listens again", { address: listener.address });
    } catch (error) {
      const found = messageOf(error);
      if (found !== problem) log("error", "does not listen, and tries again each minute", { detail: found });
      problem = found;
      onFailure?.();
    }
  };
  const lookAgain = (): void => {
    if (!isStopped) cancel = timers.after(lookSeconds, () => void begin());
  };
  const begin = (): Promise<void> => {
    last = look().then(lookAgain);
    return last;
  };
  let last = Promise.resolve();
  if (listener === undefined) void begin();
  else lookAgain();
  return {
    /** Undefined: it does not listen now. */
    address: (): string | undefined => listener?.address,
    /** The reason why it does not listen, with advice; null: it does. */
    problem: (): string | null => problem,
    /** Settles after the first try, with any result. */
    tried: last,
    stop: async (milliseconds: number): Promise<void> => {
      isStopped = true;
      cancel();
      await last;
      await listener?.stop(milliseconds);
    },
  };
}
