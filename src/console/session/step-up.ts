import { Cancelled } from "../client/problem.ts";
import { createStore } from "../store.ts";

/** A question for the password that is open; the component that draws it answers it. */
export interface PasswordQuestion {
  answered(): void;
  cancel(): void;
}

export const passwordQuestion = createStore<PasswordQuestion | null>(null);

let asking: Promise<void> | null = null;

/** Asks the person for the password again, once for all who wait for it. Throws Cancelled. */
export function askForPassword(): Promise<void> {
  asking ??= new Promise<void>((resolve, reject) => {
    passwordQuestion.set({ answered: resolve, cancel: () => reject(new Cancelled()) });
  }).finally(() => {
    asking = null;
    passwordQuestion.set(null);
  });
  return asking;
}
