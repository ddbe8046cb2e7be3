import type { ComponentType } from "preact";
import { createStore } from "../store.ts";

export interface ExplanationProps {
  /** Of an error. */
  readonly code: string;
  /** Instead of the cause, where the page knows it better. */
  readonly advice?: string | undefined;
  /** Asks once more for what failed. */
  readonly onRetry?: (() => void) | undefined;
  /** A form shows it, above the button that sends it again. */
  readonly isForm?: boolean;
}

/** What explains errors, with its texts; null: no error has come yet, or its file could not be loaded. */
export const explanation = createStore<ComponentType<ExplanationProps> | null>(null);

/** Milliseconds that an error waits for it: a device that is going down may answer no more. */
const patienceMilliseconds = 1_500;

let load: () => Promise<ComponentType<ExplanationProps>> = () =>
  Promise.reject(new Error("not loadable yet"));

/** How it is loaded: with the first error, for most pages never need it. */
export function loadExplanationBy(way: typeof load): void {
  load = way;
}

/** Settles when errors can be explained, or when it is not worth waiting for. */
export async function readyToExplain(): Promise<void> {
  if (explanation.read() !== null) return;
  const loading = load().then(
    (loaded) => explanation.set(loaded),
    () => undefined,
  );
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, patienceMilliseconds))]);
}
