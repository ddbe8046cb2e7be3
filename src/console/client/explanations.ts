import type { ComponentType } from "preact";
import { createStore } from "../store.ts";
import { type ExplanationProps, loadPart } from "./parts.ts";

/** Draws the explanation of an error; null: no error has come yet, or its part could not be loaded. */
export const explanation = createStore<ComponentType<ExplanationProps> | null>(null);

/** Milliseconds that an error waits for it: a device that is going down may answer no more. */
const patienceMilliseconds = 1_500;

/** Settles when errors can be explained, or when it is not worth waiting for. Most pages never need it. */
export async function readyToExplain(): Promise<void> {
  if (explanation.read() !== null) return;
  const loading = loadPart("problems").then(
    ({ Body }) => explanation.set(Body),
    () => undefined,
  );
  await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, patienceMilliseconds))]);
}
