import { useEffect, useRef, useState } from "preact/hooks";
import { useStore } from "../store.ts";
import { isAway } from "./connection.ts";
import { Cancelled, Unsent } from "./problem.ts";

export interface Action<A extends readonly unknown[]> {
  readonly isBusy: boolean;
  /** The error of the last run; null: none. */
  readonly error: unknown;
  /** True: it succeeded. A call while another run is under way does nothing. */
  run(...given: A): Promise<boolean>;
  forget(): void;
}

/** Something that a person does with a button: busy while it runs, and its error is kept to be shown. */
export function useAction<A extends readonly unknown[]>(work: (...given: A) => Promise<unknown>): Action<A> {
  const [state, setState] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const isDeviceAway = useStore(isAway);
  const isRunning = useRef(false);
  const end = (error: unknown): void => {
    isRunning.current = false;
    setState({ isBusy: false, error });
  };
  const isUnsent = state.error instanceof Unsent;
  return {
    ...state,
    error: isUnsent && !isDeviceAway ? null : state.error,
    forget: () => setState((before) => ({ ...before, error: null })),
    run: async (...given) => {
      if (isRunning.current) return false;
      if (isAway.read()) {
        setState({ isBusy: false, error: new Unsent() });
        return false;
      }
      isRunning.current = true;
      setState({ isBusy: true, error: null });
      try {
        await work(...given);
        end(null);
        return true;
      } catch (error) {
        end(error instanceof Cancelled ? null : error);
        return false;
      }
    },
  };
}

/** `begin` gives a signal that `stop` aborts, as does leaving the page: the person would not see the outcome. */
export function useStop(): { readonly begin: () => AbortSignal; readonly stop: () => void } {
  const ending = useRef<AbortController | null>(null);
  const stop = (): void => ending.current?.abort(new Cancelled());
  useEffect(() => stop, []);
  const begin = (): AbortSignal => {
    ending.current = new AbortController();
    return ending.current.signal;
  };
  return { begin, stop };
}
